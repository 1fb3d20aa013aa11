/** Which models of a price list are meant, and for which providers of `tollgate.yaml`. */
import type { Configuration } from '../../config/configuration.ts';
import type { ListedModel, PriceList } from '../../domain/price-lists/listed-model.ts';
import { providerKinds } from '../../providers/registry.ts';
import { Refusal } from '../output.ts';

/** Returns the providers to import for, each with what the list calls it. */
export function vendorsOf(
  { providers }: Configuration,
  list: PriceList,
  { provider, from }: { provider?: string; from?: string },
): [string, string][] {
  const listed = new Set([...list.models, ...list.skipped].map(({ vendor }) => vendor));
  if (provider === undefined) {
    const both = [...providers.keys()].filter((name) => listed.has(name));
    if (both.length > 0) return both.map((name) => [name, name]);
    throw new Refusal(
      `The list has none of the providers ${[...providers.keys()].join(', ')}. Name one with '--provider', and with '--from' what the list calls it.`,
    );
  }
  if (!providers.has(provider)) {
    const names = [...providers.keys()].join(', ');
    throw new Refusal(`tollgate.yaml has no provider ${provider}; it has ${names}.`);
  }
  const vendor = from ?? provider;
  if (listed.has(vendor)) return [[provider, vendor]];
  const near = [...listed].filter((name) => name.includes(vendor) || vendor.includes(name)).sort();
  const hint = near.length > 0 ? `; it has ${near.slice(0, 8).join(', ')}` : '';
  throw new Refusal(`The list has no models of ${vendor}${hint}. Give what it calls the provider with '--from'.`);
}

/** Returns the models of the list that are meant and can be served, and why others are left out. */
export function chooseModels(
  { providers }: Configuration,
  list: PriceList,
  { provider, vendor, only }: { provider: string; vendor: string; only: string | undefined },
): { models: ListedModel[]; skipped: { id: string; reason: string }[] } {
  const fits = only === undefined ? () => true : fitting(only);
  const isMeant = (model: { vendor: string; id: string }) => model.vendor === vendor && fits(model.id);
  const meant = list.models.filter(isMeant);
  const unusable = list.skipped.filter(isMeant);
  if (meant.length + unusable.length === 0)
    throw new Refusal(`No model of ${vendor} in the list fits ${only ?? 'it'}.`);
  const kind = providers.get(provider)?.kind;
  const serves = providerKinds.find((one) => one.kind === kind)?.serves;
  const models = meant.filter((model) => serves?.includes(model.kind) !== false);
  const unserved = meant.filter((model) => !models.includes(model));
  return {
    models,
    skipped: [
      ...unusable.map(({ id, reason }) => ({ id, reason })),
      ...unserved.map((model) => ({ id: model.id, reason: `${provider} does not serve models of kind ${model.kind}` })),
    ],
  };
}

/** `*` stands for any text, `?` for one character. */
function fitting(pattern: string): (id: string) => boolean {
  const parts = pattern.split(/([*?])/).map((part) => {
    if (part === '*') return '.*';
    return part === '?' ? '.' : part.replace(/[\\^$.|+()[\]{}]/g, '\\$&');
  });
  const regexp = new RegExp(`^${parts.join('')}$`, 'is');
  return (id) => regexp.test(id);
}

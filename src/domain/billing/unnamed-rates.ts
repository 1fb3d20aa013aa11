/** Rates that a model's price leaves out though its providers count such tokens apart: they are charged as plain ones. */
import type { Model, ProviderSettings } from '../catalogue.ts';
import { zero } from '../money.ts';
import type { ProviderKind } from '../provider-kinds.ts';
import type { TokenRates } from './token-card.ts';

export interface UnnamedRates {
  model: string;
  /** As the settings name them. */
  rates: string[];
}

const settingNames: Readonly<Partial<Record<keyof TokenRates, string>>> = {
  cachedInputPerMillion: 'cached_input_per_million',
  cacheWritePerMillion: 'cache_write_per_million',
  cacheWrite1hPerMillion: 'cache_write_1h_per_million',
  audioInputPerMillion: 'audio_input_per_million',
  audioOutputPerMillion: 'audio_output_per_million',
  imageInputPerMillion: 'image_input_per_million',
  imageOutputPerMillion: 'image_output_per_million',
};

/** What is not charged by tokens has no rates of them. */
const isFree = ({ inputPerMillion = zero, outputPerMillion = zero }: TokenRates): boolean =>
  inputPerMillion === 0n && outputPerMillion === 0n;

/** Returns the models whose own card leaves out a rate of tokens that a provider of theirs reports. Free ones need none. */
export function unnamedRatesOf(
  models: Iterable<Model>,
  providers: ReadonlyMap<string, ProviderSettings>,
  kinds: readonly ProviderKind[],
): UnnamedRates[] {
  const found: UnnamedRates[] = [];
  for (const { id, price, routes } of models) {
    if (price.unit !== 'token' || isFree(price)) continue;
    const names = new Set(routes.map(({ provider }) => providers.get(provider)?.kind));
    const reported = kinds.flatMap(({ kind, reports = [] }) => (names.has(kind) ? reports : []));
    const rates = [...new Set(reported)]
      .filter((rate) => price[rate] === undefined)
      .map((rate) => settingNames[rate] ?? rate);
    if (rates.length > 0) found.push({ model: id, rates });
  }
  return found;
}

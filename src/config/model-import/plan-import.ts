/** What importing a price list would change in `tollgate.yaml`: models that are added, and prices that change. */
import { isMap, isSeq, parseDocument, type YAMLMap } from 'yaml';
import type { ListedModel } from '../../domain/price-lists/listed-model.ts';
import { type PriceEntry, priceEntryOf } from '../../domain/price-lists/price-entry.ts';
import { type Decimal, wholeDecimal } from '../../domain/exact-decimal.ts';
import { type Change, updatePrice } from './update-price.ts';
import { addModel, TextEdits } from './yaml-text.ts';

export interface ImportOptions {
  /** The provider of the settings that routes name. */
  provider: string;
  /** The currency of the list and how much of the gateway's one unit of it is; undefined: they are the same. */
  foreign: { currency: string; rate: Decimal; rateText: string } | undefined;
  /** What the prices of the list are multiplied with for callers. */
  factor: Decimal;
  /** Leaves out the models that the file doesn't have. */
  existingOnly: boolean;
}

export interface PlannedImport {
  /** The whole file as it would be. */
  text: string;
  added: readonly { id: string; price: PriceEntry }[];
  changed: readonly { id: string; changes: readonly Change[] }[];
  unchanged: readonly string[];
  /** Models of the list that nothing is done for, and why. */
  skipped: readonly { id: string; reason: string }[];
  /** What was rounded, and what the file has that the list has not. */
  notices: readonly string[];
}

/** Works out the change of a file's text. The text has to be a valid configuration; all but models stays as it is. */
export function planImport(text: string, models: readonly ListedModel[], options: ImportOptions): PlannedImport {
  const edits = new TextEdits();
  const list = parseDocument(text).get('models');
  if (!isSeq(list)) throw new RangeError('a valid configuration has a list of models');
  const added: { id: string; price: PriceEntry }[] = [];
  const changed: { id: string; changes: readonly Change[] }[] = [];
  const unchanged: string[] = [];
  const skipped: { id: string; reason: string }[] = [];
  const notices: string[] = [];
  const entries = list.items.flatMap((item) => (isMap(item) ? [item] : []));

  for (const model of models) {
    const { price, cost } = entriesOf(model, options, (text) => notices.push(`${model.id}: ${text}`));
    const found = routesTo(entries, options.provider, model.id);
    if (found.length === 0) {
      if (entries.some((entry) => entry.get('id') === model.id))
        skipped.push({
          id: model.id,
          reason: `the model with this id has no route to ${model.id} of ${options.provider}`,
        });
      else if (options.existingOnly) skipped.push({ id: model.id, reason: 'it is not in the configuration' });
      else if (model.isDeprecated) skipped.push({ id: model.id, reason: 'the list has it as deprecated' });
      else {
        addModel(edits, text, list, model, { provider: options.provider, price, cost });
        added.push({ id: model.id, price });
      }
      continue;
    }
    for (const { entry, route, index } of found) {
      const id = String(entry.get('id'));
      const note = (text: string) => notices.push(`${id}: ${text}`);
      // What callers pay follows the route that is tried first.
      const prices = index === 0 ? [{ holder: entry, key: 'price', path: 'price', wanted: price }] : [];
      const costs = { holder: route, key: 'cost', path: `routes[${index}].cost`, wanted: cost };
      const targets = [...prices, costs];
      if (targets.some(({ holder, key, wanted }) => isChargedOtherwise(holder.get(key), wanted))) {
        skipped.push({ id, reason: 'the file charges it by another unit than the list' });
        continue;
      }
      const changes = targets.flatMap((target) => updatePrice(target, { text, edits, note }));
      if (changes.length > 0) changed.push({ id, changes });
      else unchanged.push(id);
    }
  }
  return { text: edits.applyTo(text), added, changed, unchanged, skipped, notices };
}

function entriesOf(
  model: ListedModel,
  { foreign, factor }: ImportOptions,
  notice: (text: string) => void,
): { price: PriceEntry; cost: PriceEntry } {
  const price = priceEntryOf(model.price, {
    factor,
    onRounded: (exact, rounded) => notice(`a price of ${exact} is rounded to ${rounded}`),
  });
  const cost = priceEntryOf(model.price, {
    factor: wholeDecimal(1n),
    onRounded: (exact, rounded) => notice(`a cost of ${exact} is rounded to ${rounded}`),
  });
  return { price, cost: foreign ? { ...cost, currency: foreign.currency, rate: foreign.rateText } : cost };
}

/** A price has one of the two; the other beside it would not be valid. */
const waysOfRerank = ['per_search', 'input_per_million'];

const isChargedOtherwise = (there: unknown, wanted: PriceEntry): boolean =>
  isMap(there) && waysOfRerank.some((way) => there.has(way) && !(way in wanted));

interface FoundRoute {
  entry: YAMLMap;
  route: YAMLMap;
  index: number;
}

function routesTo(entries: readonly YAMLMap[], provider: string, model: string): FoundRoute[] {
  return entries.flatMap((entry) => {
    const routes = entry.get('routes');
    if (!isSeq(routes)) return [];
    const index = routes.items.findIndex(
      (route) => isMap(route) && route.get('provider') === provider && String(route.get('model')) === model,
    );
    const route = routes.items[index];
    return isMap(route) ? [{ entry, route, index }] : [];
  });
}

/** The currency that a valid file states, or the default. */
export function currencyOf(text: string): string {
  const currency: unknown = parseDocument(text).get('currency');
  return typeof currency === 'string' ? currency : 'CNY';
}

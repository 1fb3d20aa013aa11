/** What a route of `tollgate.yaml` costs the operator: its rules, and how it is in the catalogue's terms. */
import { callModelKinds, type ModelKind, type RouteCost } from '../domain/catalogue.ts';
import { statedCurrency } from '../domain/billing/stated-cost.ts';
import { priceOf } from './model-price.ts';
import { type Mistake, priceMistakes } from './price-rules.ts';
import { present } from './setting-errors.ts';
import type { WrittenCost } from './yaml-schema.ts';
import type { Path } from './yaml-document.ts';

const kindsOfCalls: readonly ModelKind[] = callModelKinds;
const ownKeys = ['currency', 'rate'];

/**
 * Returns what a route costs; undefined where nothing is known of it. Calls of a gateway that counts in dollars need no
 * cost in the settings: their providers state it in dollars.
 */
export function routeCostOf(
  written: WrittenCost | undefined,
  kind: ModelKind,
  gatewayCurrency: string,
): RouteCost | undefined {
  if (!written) {
    const isStated = gatewayCurrency === statedCurrency && kindsOfCalls.includes(kind);
    return isStated ? { currency: statedCurrency } : undefined;
  }
  const { currency = gatewayCurrency, rate, ...card } = written;
  return present({ currency, rate, card: hasCard(written) ? priceOf(card, kind) : undefined });
}

/** The mistakes of the cost at `path` of a route of a model of that kind; `own` is the gateway's currency. */
export function* costMistakes(
  cost: Record<string, unknown>,
  kind: ModelKind,
  own: string,
  path: Path,
): Iterable<Mistake> {
  const currency = cost['currency'] ?? own;
  const hasRate = Object.hasOwn(cost, 'rate');
  if (currency !== own && !hasRate)
    yield { path: [...path, 'rate'], message: `is required for a currency other than the gateway's, ${own}` };
  if (currency === own && hasRate)
    yield { path: [...path, 'rate'], message: `is not allowed for the gateway's own currency, ${own}` };
  // Of calls in dollars what the provider states may be all that is known.
  const isStated = currency === statedCurrency && kindsOfCalls.includes(kind);
  if (hasCard(cost) || !isStated) yield* priceMistakes(cost, kind, path);
}

const hasCard = (cost: object): boolean => Object.keys(cost).some((key) => !ownKeys.includes(key));

/** Models, their prices and their switches as people see them in the console and at the command line. */
import { unixSeconds } from '../../domain/unix-seconds.ts';
import {
  capabilityLabels,
  type Model,
  type ModelLimits,
  type Price,
  type PricesByName,
} from '../../domain/catalogue.ts';
import { tokenPriceObject } from './token-prices.ts';
import { type Money, toAmount } from '../../domain/money.ts';
import type { MaintenanceSetting } from '../../domain/maintenance.ts';
import type { ModelSwitch } from '../../accounts/model-switches.ts';

/** All of a price, in the gateway's currency; what it doesn't have is null. */
export function priceObject(price: Price) {
  const minimum = amountOrNull(price.minimum);
  switch (price.unit) {
    case 'token':
      return tokenPriceObject(price);
    case 'image':
      return {
        unit: price.unit,
        per_image: toAmount(price.perImage),
        by_quality: byName(price.byQuality),
        by_size: byName(price.bySize),
        minimum,
      };
    case 'second':
      return {
        unit: price.unit,
        per_second: toAmount(price.perSecond),
        by_resolution: byName(price.byResolution),
        minimum,
      };
  }
}

export const limitsObject = (limits: ModelLimits) => ({
  prompt_characters: limits.promptCharacters ?? null,
  max_seconds: limits.maxSeconds ?? null,
  context_tokens: limits.contextTokens ?? null,
  max_output_tokens: limits.maxOutputTokens ?? null,
  durations: limits.durations ? [...limits.durations] : null,
  ratios: limits.ratios ? [...limits.ratios] : null,
  sizes: limits.sizes ? [...limits.sizes] : null,
  resolutions: limits.resolutions ? [...limits.resolutions] : null,
  references: limits.references ?? null,
});

export const capabilityObjects = ({ capabilities }: Model) =>
  capabilities.map((id) => ({ id, label: capabilityLabels[id] }));

/** What is set of a model over its configuration; null where that is in force. */
export const switchObject = ({ model, published, maintenance, setBy, setByEmail, setAt }: ModelSwitch) => ({
  object: 'model_switch' as const,
  model,
  published,
  ...maintenanceFacts(maintenance ?? false),
  maintenance: maintenance === null ? null : maintenance !== false,
  set_by: setBy,
  set_by_email: setByEmail,
  set_at: unixSeconds(setAt),
});

/** A maintenance as it is set, which may have ended; give it that of `maintenanceAt` for what is in force. */
export function maintenanceFacts(setting: MaintenanceSetting) {
  const { note = null, until } = setting === false ? {} : setting;
  return {
    maintenance: setting !== false,
    maintenance_note: note,
    maintenance_until: until === undefined ? null : unixSeconds(until),
  };
}

const amountOrNull = (amount: Money | undefined): number | null => (amount === undefined ? null : toAmount(amount));

/** As pairs, in the order of the configuration: names that look like numbers would come first in an object. */
const byName = (prices: Readonly<Partial<PricesByName>> | undefined) =>
  prices
    ? Object.entries(prices).flatMap(([name, price]) => (price === undefined ? [] : [{ name, price: toAmount(price) }]))
    : null;

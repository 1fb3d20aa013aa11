/** What the provider said of something that it served, as an entry of the ledger keeps it: one JSON object as text. */
import { isObject, type JsonObject } from '../json/json-object.ts';
import { isUsage, type UsageForm, usageForms } from '../usage/vendor-usage.ts';

/** What it cost the operator, as it was said or worked out. */
export interface VendorCost {
  /** A decimal number. */
  amount: string;
  currency: string;
  /** How much of the gateway's currency one unit of that currency is. */
  rate?: string;
  source: 'route' | 'vendor';
}

export interface VendorFacts {
  /** Of the answer, or of the job. */
  id?: string | undefined;
  /** What the provider calls the model. */
  model?: string | undefined;
  /** The service tier that the answer names. */
  tier?: string | undefined;
  /** Whose names the usage has: of chat completions, responses or messages. */
  form?: UsageForm | undefined;
  usage?: JsonObject | undefined;
  /** Of hosted tools, where the usage doesn't count them. */
  toolCalls?: Readonly<Record<string, number>> | undefined;
  cost?: VendorCost | undefined;
}

/** A usage object is some hundred bytes; one that is larger is not kept. */
export const usageBytesMax = 4 * 1024;
/** Of an id, a model or a tier; a longer one is left out. */
const wordCharactersMax = 200;

/** Returns the text; each name is there only where there is something. */
export function vendorText({ id, model, tier, form, usage, toolCalls, cost }: VendorFacts): string {
  const usageText = usage && JSON.stringify(usage);
  const isTooLarge = usageText !== undefined && Buffer.byteLength(usageText) > usageBytesMax;
  const members =
    member('id', word(id)) +
    member('model', word(model)) +
    member('tier', word(tier)) +
    member('form', word(form)) +
    (isTooLarge ? member('usage_too_large', 'true') : member('usage', usageText)) +
    member('tool_calls', hasNames(toolCalls) ? JSON.stringify(toolCalls) : undefined) +
    member('cost', cost && JSON.stringify(cost));
  return `{${members.slice(1)}}`;
}

/** What of a kept text the counts on an entry's lines come from. */
export interface KeptUsage {
  form: UsageForm;
  usage: JsonObject;
  toolCalls: Readonly<Record<string, number>>;
}

/**
 * Reads a kept text; `none` where it has no usage that was read, as of an answer that gave none or one too large to keep.
 * Undefined for a text that the gateway doesn't write.
 */
export function readKeptUsage(text: string): KeptUsage | 'none' | undefined {
  const kept = parsedOf(text);
  if (!isObject(kept)) return undefined;
  const { form, usage, tool_calls: toolCalls = {} } = kept;
  if (usage === undefined) return 'none';
  const known = usageForms.find((one) => one === form);
  if (known === undefined || !isUsage(known, usage) || !isCalls(toolCalls)) return undefined;
  return { form: known, usage, toolCalls };
}

/** Returns the usage object of a kept text, whatever is in it; undefined where there is none. */
export function keptUsageOf(text: string): JsonObject | undefined {
  const kept = parsedOf(text);
  const usage = isObject(kept) ? kept['usage'] : undefined;
  return isObject(usage) ? usage : undefined;
}

function parsedOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isCalls = (value: unknown): value is Readonly<Record<string, number>> =>
  isObject(value) && Object.values(value).every((count) => typeof count === 'number');

/** With a comma before it. */
const member = (name: string, json: string | undefined): string => (json === undefined ? '' : `,"${name}":${json}`);

const word = (text: string | undefined): string | undefined =>
  text === undefined || text.length > wordCharactersMax ? undefined : JSON.stringify(text);

const hasNames = (value: object | undefined): boolean => value !== undefined && Object.keys(value).length > 0;

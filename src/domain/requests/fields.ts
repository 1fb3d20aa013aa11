/** The building blocks of the request schemas. Each one's message is its rule, to be read after the field's name. */
import { z } from 'zod';
import { addressCharactersMax, modelIdCharactersMax } from '../limits.ts';
import { isKeepable, withoutNul } from '../text.ts';
import { isDataUri, isHttpAddress } from './named-addresses.ts';
import { faultsOf, list, modelIdRule } from './parse.ts';

export const flag = z.boolean('must be true or false');
export const text = z.string('must be a string');
/** A text that is kept with its task. */
export const keptText = text
  .refine(isKeepable, 'must be valid Unicode without NUL characters')
  .meta({ pattern: withoutNul });
export const word = z.string('must be a non-empty string').min(1, 'must be a non-empty string');
export const modelId = z.string(modelIdRule).min(1, modelIdRule).max(modelIdCharactersMax, modelIdRule);
export const anObject = z.looseObject({}, 'must be an object');

/** An http(s) address of at most `charactersMax` characters. */
export function httpAddress(charactersMax: number = addressCharactersMax) {
  const rule = `must be an http or https URL of at most ${charactersMax} characters`;
  return z
    .string(rule)
    .refine((value) => isHttpAddress(value, charactersMax), rule)
    .meta({ format: 'uri', maxLength: charactersMax });
}

/** What chat takes as an image: an http(s) address or the bytes themselves as a data URI. */
export function mediaAddress(charactersMax: number) {
  const rule = `must be an http or https URL of at most ${charactersMax} characters or a data URI 'data:<mime>;base64,<data>'`;
  return z
    .string(rule)
    .refine((value) => isDataUri(value) || isHttpAddress(value, charactersMax), rule)
    .meta({ format: 'uri' });
}

export function integerFrom(min: number, max: number = Number.MAX_SAFE_INTEGER) {
  const rule =
    max === Number.MAX_SAFE_INTEGER ? `must be an integer from ${min}` : `must be an integer from ${min} to ${max}`;
  return z.int(rule).min(min, rule).max(max, rule);
}

export function numberFrom(min: number, max: number) {
  const rule = `must be a number from ${min} to ${max}`;
  return z.number(rule).min(min, rule).max(max, rule);
}

export function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, `must be ${list(values.map((value) => `'${value}'`))}`);
}

/** The messages of a discriminated union: `rule` is that of the field by which the kinds differ. */
export const kindRule =
  (rule: string) =>
  ({ code }: { code: string }): string =>
    code === 'invalid_type' ? 'must be an object' : rule;

/** A schema of objects that differ by one field, or any object with another value there, whose rest is not looked at. */
export const orAnother = <Known extends z.ZodType>(known: Known, field: string, names: readonly string[]) =>
  z.union([known, another(field, names)], 'must be an object');

/** Any object whose field has none of these values. */
export function another(field: string, names: readonly string[]) {
  const isAnother = (value: string) => !names.includes(value);
  return z.looseObject({ [field]: word.refine(isAnother, { abort: true }).meta({ not: { enum: [...names] } }) });
}

/**
 * An array that is read up to its first fault: a plain zod array reports every fault of every item, and 20 MiB of JSON
 * hold millions (2,000,000 broken items took 3 s and 1.3 GB). `rule` says the count and what the items are. What JSON
 * Schema needs to know of it is in its `meta`.
 */
export function listOf<Item extends z.ZodType>(item: Item, rule: string, { min = 0, max = Infinity } = {}) {
  const items = z.toJSONSchema(item, { io: 'input', unrepresentable: 'any' });
  delete items.$schema;
  const documented = { type: 'array', items, minItems: min, ...(max === Infinity ? {} : { maxItems: max }) };
  const fits = (value: unknown) => Array.isArray(value) && value.length >= min && value.length <= max;
  return z
    .custom<readonly unknown[]>(fits, rule)
    .transform((values, context) => {
      const read: z.output<Item>[] = [];
      for (const [index, value] of values.entries()) {
        const result = item.safeParse(value);
        if (!result.success) {
          addFaults(context, result.error, [index]);
          return z.NEVER;
        }
        read.push(result.data);
      }
      return read;
    })
    .meta(documented);
}

/** Hands the faults of one schema on as those of another, below `path`. */
export function addFaults(context: z.RefinementCtx, error: z.ZodError, path: readonly PropertyKey[] = []): void {
  for (const fault of faultsOf(error.issues)) {
    const { isUnknown = false } = fault;
    context.addIssue({ code: 'custom', path: [...path, ...fault.path], message: fault.rule, params: { isUnknown } });
  }
}

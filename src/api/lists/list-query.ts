/** The query of a list: every parameter known, given once and good, or a 400 that says what is allowed. */
import * as z from 'zod';
import { invalid, list, parseWith } from '../../domain/requests/parse.ts';
import { isKeepable, withoutNul } from '../../domain/text.ts';
import { startOfDay } from '../../domain/time-zone.ts';

export const pageRowsMax = 100;
export const pageRowsDefault = 20;

/**
 * The parameters as the schema reads them. Refuses with `invalid_parameter` and the parameter as `param` what the schema
 * doesn't know, what comes twice and what breaks its rule.
 */
export function readQuery<Schema extends z.ZodObject>(
  schema: Schema,
  query: Readonly<Record<string, unknown>>,
): z.output<Schema> {
  const known = Object.keys(schema.shape);
  for (const [name, value] of Object.entries(query)) {
    if (!known.includes(name))
      throw invalid(shortened(name), `is not a parameter of this list; allowed are ${list(known)}`);
    if (Array.isArray(value)) throw invalid(name, 'must not be repeated');
  }
  return parseWith(schema, { ...query });
}

/** What is no cursor of the list that was asked. */
export const cursorRule = 'must be a next_cursor returned by this list';

/** The `limit` of a list whose pages may have so many records. */
export function limitUpTo(rowsMax: number) {
  const rule = `must be an integer from 1 to ${rowsMax}`;
  return z
    .string(rule)
    .regex(/^\d{1,5}$/, rule)
    .transform(Number)
    .refine((count) => count >= 1 && count <= rowsMax, rule)
    .optional();
}

export const limit = limitUpTo(pageRowsMax);

const dayForm = /^\d{4}-\d{2}-\d{2}$/;
const momentRule =
  'must be an ISO 8601 time, such as 2026-11-21T08:00:00Z (write + as %2B), or a day, such as 2026-11-21, which begins at 00:00 UTC';
const momentText = z.union([z.iso.datetime({ offset: true }), z.iso.date()], momentRule);
const moment = momentText.transform((text) => momentIn('UTC', text));

/** The moment of a time; a day begins at its midnight in the time zone. */
export const momentIn = (timeZone: string, text: string): Date =>
  dayForm.test(text) ? startOfDay(timeZone, text) : new Date(text);

/** The times from which on (this one included) and up to which (this one not) a list reaches. */
export const timeRange = { from: moment.optional(), to: moment.optional() };

/** The same as it is written, for lists whose days may be of another zone. */
export const writtenRange = { from: momentText.optional(), to: momentText.optional() };
type WrittenRange = { [Name in keyof typeof writtenRange]?: string | undefined };

/** Returns the range that is written, with the days of this zone. */
export const rangeIn = (timeZone: string, { from, to }: WrittenRange) => ({
  ...(from !== undefined && { from: momentIn(timeZone, from) }),
  ...(to !== undefined && { to: momentIn(timeZone, to) }),
});

/** Whether anything can be in the range; the fault is that of `to`. */
export const isRange = ({ from, to }: { from?: Date | undefined; to?: Date | undefined }): boolean =>
  from === undefined || to === undefined || from < to;
export const rangeFault = { path: ['to'], error: "must be later than 'from'" };

const modelRule = 'must be a model id: a string of 1 to 256 characters';
export const modelFilter = z
  .string(modelRule)
  .refine((id) => id !== '' && id.length <= 256 && isKeepable(id), modelRule)
  .meta({ minLength: 1, maxLength: 256, pattern: withoutNul })
  .optional();

const shortened = (name: string) => (name.length > 100 ? `${name.slice(0, 100)}…` : name);

/** Query parameters of lists, from the very schemas that read them, so that none is forgotten or invented. */
import type * as z from 'zod';
import { pageRowsDefault, pageRowsMax } from '../lists/list-query.ts';
import { inline, type JsonSchema } from './schemas.ts';

/** What every list has besides its filters. */
type Page = 'limit' | 'cursor';
type Times = 'from' | 'to';

/** The parameters of a list: `words` says what each of its filters does, `rows` how many records a page has. */
export function queryParameters<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  words: Readonly<Record<Exclude<keyof Shape & string, Page | Times>, string>>,
  rows = { max: pageRowsMax, default: pageRowsDefault },
): JsonSchema[] {
  const texts: Readonly<Record<string, string>> = { ...pageWords, ...timeWords, ...words };
  return Object.entries(schema.shape).map(([name, field]) => ({
    name,
    in: 'query',
    description: texts[name],
    // Texts in a query, but numbers to its author.
    schema:
      name === 'limit' ? { type: 'integer', minimum: 1, maximum: rows.max, default: rows.default } : inline(field),
  }));
}

const pageWords: Record<Page, string> = {
  limit: 'Records per page.',
  cursor: 'The `next_cursor` of the previous page.',
};
const timeWords: Record<Times, string> = {
  from: 'From this time on, in ISO 8601; a day begins at 00:00 UTC.',
  to: 'Up to this time, which is not included.',
};

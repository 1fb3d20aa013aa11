/** The answer of lists that are given as JSON or CSV. */
import type { Response } from '../public-operation.ts';
import { headers } from './headers.ts';

/** `csv` is an example, with its header line. */
export const listAnswer = (csv: string, examples: NonNullable<Response['examples']>): Response => ({
  description: 'A page; with `Accept: text/csv` as CSV, and then the whole list unless `limit` or `cursor` is sent.',
  headers: headers('Link'),
  content: { 'text/csv': { schema: { type: 'string' }, example: csv } },
  examples,
});

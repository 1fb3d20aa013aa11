/** The header `X-Tollgate-Tag`: what a caller files a request under, to see its usage and cost by it. */
import { invalid } from '../domain/requests/parse.ts';
import type { ApiContext } from './context.ts';

export const tagRule = 'must be 1 to 64 letters, digits and . _ : / @ -';
export const tagForm = /^[\w.:/@-]{1,64}$/;

/** Returns the tag, if the caller sent one; refuses one that breaks the rule. */
export function requestTagOf({ headers }: Pick<ApiContext, 'headers'>): string | undefined {
  const tag = headers['x-tollgate-tag'];
  if (tag === undefined) return undefined;
  // One that is sent twice is in one text, with a comma between.
  if (typeof tag === 'string' && tagForm.test(tag)) return tag;
  throw invalid('X-Tollgate-Tag', tagRule);
}

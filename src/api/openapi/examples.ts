/** What the examples of several operations share. */
import type { Examples } from '../public-operation.ts';

/** The first second of 2026, UTC. */
export const exampleCreated = 1_767_225_600;

/** The only example of a body. */
export const one = (summary: string, value: unknown): Examples => ({ example: { summary, value } });

/** A page of a list, with nothing behind it. */
export const examplePage = (...data: readonly unknown[]) => ({
  object: 'list',
  data,
  has_more: false,
  next_cursor: null,
});

/** The answer of a list, in the form that the public API's lists have. */
import * as z from 'zod';

export const listOf = <Row extends z.ZodType>(row: Row) =>
  z.strictObject({
    object: z.literal('list'),
    data: z.array(row),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  });

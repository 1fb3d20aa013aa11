/** Lists in the console's API: in the public one's form, `listObject` of `api/lists/list-page.ts`. */
import * as z from 'zod';

/** The schema of a list of these records. */
export const listOf = <Shown extends z.ZodType>(record: Shown) =>
  z.strictObject({
    object: z.literal('list'),
    data: z.array(record),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  });

/** A page of a list in the form of OpenAI, whose `after` names the last id of the page before. */
import * as z from 'zod';
import { answer } from '../openapi/schemas.ts';

/** The schema of such a page of these records. */
export const openAiList = <Item extends z.ZodType>(name: string, item: Item) =>
  answer(
    name,
    z.strictObject({
      object: z.literal('list'),
      data: z.array(item),
      first_id: z.string().nullable(),
      last_id: z.string().nullable(),
      has_more: z.boolean(),
    }),
  );

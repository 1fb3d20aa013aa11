/** The error object of answers and records. */
import * as z from 'zod';
import { errorTable } from '../../domain/errors.ts';
import { messagesErrorTypes } from '../../domain/messages-errors.ts';
import { answer } from './schemas.ts';

const codes = Object.keys(errorTable);
const types = [...new Set(Object.values(errorTable).map(({ type }) => type))];

export const errorObject = answer(
  'ErrorObject',
  z
    .strictObject({
      message: z.string().describe('What is wrong and what is allowed.'),
      type: z.enum(types),
      param: z.string().nullable().describe('The path of the refused value, such as `messages[0].content`.'),
      code: z
        .string()
        .nullable()
        .describe(`One of ${codes.join(', ')}; of an upstream's refusal, the upstream's own.`),
    })
    .describe('All four members are always present.'),
);

/** What refusals are in Anthropic's form. */
export const messagesErrorAnswer = answer(
  'MessagesError',
  z.strictObject({
    type: z.literal('error'),
    error: z.strictObject({
      type: z.enum(messagesErrorTypes),
      message: z.string().describe('What is wrong and what is allowed.'),
    }),
    request_id: z.string(),
  }),
);

/** What all refusals are, but for the records of failed tasks. */
export const errorAnswer = answer('Error', z.strictObject({ error: errorObject }));

/** A line of a batch's input, as far as it is the same for every endpoint. */
import { z } from 'zod';
import { customIdCharactersMax } from '../limits.ts';
import { anObject } from '../requests/fields.ts';
import { invalid, parseWith } from '../requests/parse.ts';
import { isKeepable } from '../text.ts';
import type { BatchEndpoint } from './endpoints.ts';

/** What was found wrong with a line, or with the file as a whole. */
export interface LineMistake {
  code: string;
  /** From 1; null: of the file as a whole. */
  line: number | null;
  message: string;
  param: string | null;
}

export interface InputLine {
  customId: string;
  body: Readonly<Record<string, unknown>>;
}

const customIdRule = `must be a string of 1 to ${customIdCharactersMax} characters`;

const lineSchema = z.object({
  custom_id: z
    .string(customIdRule)
    .min(1, customIdRule)
    .max(customIdCharactersMax, customIdRule)
    .refine(isKeepable, 'must be valid Unicode without NUL characters'),
  method: z.literal('POST', "must be 'POST'"),
  url: z.string('must be a string'),
  body: anObject,
});

/** Refuses with `missing_parameter` or `invalid_parameter` what is no line of a batch of this endpoint. */
export function parseInputLine(value: unknown, endpoint: BatchEndpoint): InputLine {
  const { custom_id: customId, url, body } = parseWith(lineSchema, value);
  if (url !== endpoint) throw invalid('url', `must be the batch's endpoint '${endpoint}'`);
  return { customId, body };
}

/** How many inputs an embeddings body has. */
export function inputsOf(body: Readonly<Record<string, unknown>>): number {
  const { input } = body;
  return Array.isArray(input) && typeof input[0] !== 'number' ? input.length : 1;
}

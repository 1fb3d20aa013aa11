/** The recorded bodies of a request, as owners get them. */
import * as z from 'zod';
import { unixSeconds } from '../../domain/unix-seconds.ts';
import type { FoundBodies } from '../../bodies/stored-bodies.ts';
import { answer } from '../openapi/schemas.ts';

const text = z.strictObject({
  text: z.string().describe('Redacted fields are `"[redacted]"`; long base64 is shortened.'),
  bytes: z.int().describe('How long the body was.'),
  cut: z.boolean().describe('The text ends before the body did.'),
});

export const requestBodiesRecord = answer(
  'RequestBodies',
  z.strictObject({
    id: z.string().describe('Of the request.'),
    object: z.literal('request.bodies'),
    created: z.int().describe('Unix seconds.'),
    expires_at: z.int().describe('Unix seconds; the bodies are deleted then.'),
    request: text.nullable().describe('Null where it was no JSON, such as a form with files.'),
    answer: text.nullable().describe('JSON, or the events of a stream. Null where it was no text, such as audio.'),
  }),
);

export const requestBodiesObject = (
  id: string,
  { createdAt, expiresAt, request, answer: answered }: FoundBodies,
): z.input<typeof requestBodiesRecord> => ({
  ...{ id, object: 'request.bodies', created: unixSeconds(createdAt), expires_at: unixSeconds(expiresAt) },
  ...{ request, answer: answered },
});

/** The recorded bodies of a request, as owners get them. */
import * as z from 'zod';
import { unixSeconds } from '../../domain/unix-seconds.ts';
import { bodyKinds } from '../../bodies/redact-text.ts';
import type { FoundBodies } from '../../bodies/stored-bodies.ts';
import { answer } from '../openapi/schemas.ts';

const text = z.strictObject({
  kind: z
    .enum(bodyKinds)
    .describe(
      "`text`: the body itself. `form`: JSON of the form's `fields` and, of each of its `files`, `name`, `file_name`, " +
        '`type` and `bytes`. `file`: JSON of the `type` and `bytes` of an answer such as audio.',
    ),
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
    request: text.nullable().describe('Null where it had none that was read.'),
    answer: text
      .nullable()
      .describe('JSON, the events of a stream, or what a file is. Null where nothing was answered.'),
  }),
);

export const requestBodiesObject = (
  id: string,
  { createdAt, expiresAt, request, answer: answered }: FoundBodies,
): z.input<typeof requestBodiesRecord> => ({
  ...{ id, object: 'request.bodies', created: unixSeconds(createdAt), expires_at: unixSeconds(expiresAt) },
  ...{ request, answer: answered },
});

/** Transcripts and translations of audio: the upload is stored, measured, held by its length, passed on and deleted. */
import * as z from 'zod';
import { readTranscription } from '../../chat/read-transcription.ts';
import { serveRead } from '../../chat/serve-call.ts';
import { transcriptionBody, translationBody } from '../../domain/requests/transcription-request.ts';
import { removeBlobs } from '../../blobs/blob-store.ts';
import { newBlobKey } from '../../postgres/new-ids.ts';
import { BodyMemory } from '../body/body-room.ts';
import { readUploadForm } from '../body/upload-form.ts';
import { acquireOnce } from '../concurrency-limits.ts';
import { callErrors } from '../openapi/error-lists.ts';
import { headers, requestHeader } from '../openapi/headers.ts';
import type { JsonSchema } from '../openapi/schemas.ts';
import { jsonEvent, streamed } from '../openapi/streams.ts';
import { type GatewayFacts, type KeyAsk, operation } from '../public-operation.ts';
import { refuseLate } from '../server/draining.ts';

const MiB = 1024 * 1024;
/** Speech of people who may be heard, as data URIs: OpenAI takes four, of 10 s at most, which are 640 kB as WAV of 24 kHz. */
const speakerReferences = { name: 'known_speaker_references', bytesMax: 2 * MiB, most: 4 };

const words = {
  model: 'Model id.',
  prompt: 'Guides the style, or continues an earlier part.',
  temperature: 'From 0 to 1.',
  language: 'Of the audio, as ISO 639-1.',
  response_format: 'Default `json`. Which of them there are is up to the model.',
  stream: '`true` returns server-sent events.',
};

/** The form of these fields; the length is the file's own. */
const formOf =
  (schema: z.ZodObject) =>
  ({ limits, model }: GatewayFacts): Record<string, JsonSchema> => {
    const { properties } = z.toJSONSchema(schema, { io: 'input' });
    const fields = Object.entries(properties ?? {}).map(([name, field]): [string, JsonSchema] => [
      name,
      { ...plainOf(field), description: words[name as keyof typeof words] },
    ]);
    const file = {
      type: 'string',
      format: 'binary',
      description: `FLAC, MP3, MP4, M4A, Ogg, WAV or WebM, of at most ${limits.audioBytes / MiB} MiB.`,
    };
    return {
      'multipart/form-data': {
        schema: { type: 'object', required: ['file', 'model'], properties: { file, ...Object.fromEntries(fields) } },
        // Of a file its name: what a form holds of it is bytes.
        example: { file: 'speech.wav', model: model('transcription') },
        encoding: { file: { contentType: 'audio/wav, audio/mpeg' } },
      },
    };
  };

/** A field of a form is a text or absent. */
function plainOf(field: z.core.JSONSchema._JSONSchema): JsonSchema {
  if (typeof field === 'boolean') return {};
  const [first] = field.anyOf ?? [];
  return { ...(typeof first === 'object' ? first : field) };
}

const ofAudio = {
  method: 'post' as const,
  tag: 'Audio' as const,
  level: 'standard' as const,
  parameters: [requestHeader('Idempotency-Key'), requestHeader('Expect')],
  before: ({ ctx }: Pick<KeyAsk<unknown, unknown>, 'ctx'>) => {
    refuseLate(ctx);
    return Promise.resolve();
  },
  answer: z.void(),
  errors: callErrors,
  upstreamRefusals: [400, 413, 422],
};
const transcript = {
  'application/json': {
    schema: { type: 'object', description: "The upstream's own answer.", required: ['text'] },
    example: { text: 'Toll gate' },
  },
  'text/plain': { schema: { type: 'string' }, example: 'Toll gate' },
};
const events = streamed(
  jsonEvent({ type: 'object', required: ['type'], properties: { type: { type: 'string' } } }),
  'data: {"type":"transcript.text.delta","delta":"Toll"}\n\ndata: {"type":"transcript.text.done","text":"Toll"}\n\n',
);

export const createTranscription = operation({
  ...ofAudio,
  path: '/audio/transcriptions',
  id: 'createTranscription',
  summary: 'Transcribe audio',
  description:
    'For models of kind `transcription`. It costs by the whole seconds of the audio (a begun one counts) or by the tokens, as the price of the model says. The file is deleted when the call is over. Fields that are not listed are passed on to the model.',
  body: { content: formOf(transcriptionBody.omit({ audio_seconds: true })) },
  responses: {
    200: {
      description: 'The transcript, in the format that was asked for.',
      headers: headers('Idempotency-Replayed'),
      content: { ...transcript, 'text/event-stream': events },
    },
  },
  handle: (ask) => serve(ask, 'audio/transcriptions'),
});

const createTranslation = operation({
  ...ofAudio,
  path: '/audio/translations',
  id: 'createTranslation',
  summary: 'Transcribe audio and translate it into English',
  description: 'As transcriptions, in English.',
  body: { content: formOf(translationBody.omit({ audio_seconds: true })) },
  responses: {
    200: {
      description: 'The translation, in the format that was asked for.',
      headers: headers('Idempotency-Replayed'),
      content: transcript,
    },
  },
  handle: (ask) => serve(ask, 'audio/translations'),
});

export const transcriptionOperations = [createTranscription, createTranslation];

function serve(
  { ctx, deps, now }: KeyAsk<unknown, unknown>,
  endpoint: 'audio/transcriptions' | 'audio/translations',
): Promise<void> {
  return deps.during(async () => {
    const { blobs, concurrencyLimits, configuration } = deps;
    const release = acquireOnce(concurrencyLimits.uploads);
    try {
      const rules = {
        files: [{ name: 'file', bytesMax: configuration.limits.audioBytes } as const],
        fields: [],
        keepsFields: true,
        largeFields: speakerReferences,
      };
      const room = new BodyMemory(concurrencyLimits.bodyBytes, ctx.state.key?.accountId ?? '');
      if (ctx.res.closed) room.close(); // no event would give it back later
      ctx.state.bodyRoom = room;
      const form = await readUploadForm(ctx.req, rules, {
        store: blobs,
        newKey: () => newBlobKey('uploads'),
        takeMemory: (bytes) => room.take(bytes),
        bodies: ctx.state.bodies,
      });
      try {
        // An upload may take an hour: model and price are those of its end.
        const read = await readTranscription(now(), ctx, endpoint, form);
        release();
        await serveRead(now(), ctx, read);
      } finally {
        // Beside: a call's record is there once its handler ends, and its caller, who has the answer, may ask for it.
        const keys = (form.files.get('file') ?? []).map(({ key }) => key);
        deps.background(removeBlobs(blobs, keys));
      }
    } finally {
      release();
    }
  });
}

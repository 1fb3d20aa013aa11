/** Speech: the model's audio as it comes, or as events. */
import * as z from 'zod';
import { serveCall } from '../../chat/serve-call.ts';
import { mediaTypeOfAudio } from '../../domain/audio.ts';
import { speechCharactersMax } from '../../domain/limits.ts';
import { speechBody } from '../../domain/requests/speech-request.ts';
import { callErrors } from '../openapi/error-lists.ts';
import { headers, requestHeader } from '../openapi/headers.ts';
import { jsonContent } from '../openapi/json-body.ts';
import { jsonEvent, streamed } from '../openapi/streams.ts';
import { operation } from '../public-operation.ts';

const words = {
  model: 'Model id.',
  input: `The text, of at most ${speechCharactersMax} characters.`,
  voice: 'The name of a voice, or an object with its `id`. Which there are is up to the model.',
  instructions: 'How to say it, for models that follow instructions.',
  response_format: '`mp3` (default), `opus`, `aac`, `flac`, `wav` or `pcm` (24 kHz, 16 bits, one channel).',
  speed: 'From 0.25 to 4. Default 1.',
  stream_format: '`audio` (default): the bytes. `sse`: events with the audio as base64.',
};

const binary = { schema: { type: 'string', format: 'binary' } };

const events = streamed(
  jsonEvent({ type: 'object', required: ['type'], properties: { type: { type: 'string' } } }),
  [
    'data: {"type":"speech.audio.delta","audio":"//PExAAA"}',
    'data: {"type":"speech.audio.done","usage":{"input_tokens":3,"output_tokens":16,"total_tokens":19}}',
    '',
  ].join('\n\n'),
);

export const speechOperation = operation({
  method: 'post',
  path: '/audio/speech',
  id: 'createSpeech',
  tag: 'Audio',
  level: 'standard',
  summary: 'Generate speech from text',
  description:
    'For models of kind `speech`. The audio is passed on as it comes. It costs by the characters of the text, by the whole seconds of audio (a begun one counts) or by the tokens, as the price of the model says. Fields that are not listed are passed on to the model.',
  parameters: [requestHeader('Idempotency-Key')],
  body: {
    content: jsonContent('SpeechRequest', speechBody, {
      words,
      shown: ({ model }) => ({
        examples: {
          audio: { summary: 'A text', value: { model: model('speech'), input: 'A toll gate', voice: 'alloy' } },
          events: {
            summary: 'As events',
            value: {
              ...{ model: model('speech'), input: 'A toll gate', voice: 'alloy' },
              ...{ response_format: 'wav', stream_format: 'sse' },
            },
          },
        },
      }),
    }),
  },
  answer: z.void(),
  responses: {
    200: {
      description: 'The audio, or its events.',
      headers: headers('Idempotency-Replayed'),
      content: {
        ...Object.fromEntries(Object.values(mediaTypeOfAudio).map((type) => [type, binary])),
        'text/event-stream': events,
      },
    },
  },
  errors: callErrors,
  upstreamRefusals: [400, 413, 422],
  handle: ({ ctx, deps }) => deps.during(() => serveCall(deps, ctx, 'audio/speech')),
});

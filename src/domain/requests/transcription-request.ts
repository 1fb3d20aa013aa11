/**
 * The fields of a transcription's form, checked but not changed: they are forwarded as they came. Those that are not known
 * here pass.
 */
import { z } from 'zod';
import { audioTokensPerSecond } from '../audio.ts';
import { modelId, oneOf, text } from './fields.ts';
import { parseWith } from './parse.ts';

export const transcriptFormats = ['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'] as const;
export type TranscriptFormat = (typeof transcriptFormats)[number];
const translationFormats = ['json', 'text', 'srt', 'verbose_json', 'vtt'] as const;

/** Formats that are plain text, and say nothing of usage. */
export const plainTranscripts: ReadonlySet<TranscriptFormat> = new Set(['text', 'srt', 'vtt']);

/** What the gateway must know of the call; the rest is the upstream's. */
export interface TranscriptionFacts {
  format: TranscriptFormat;
  stream: boolean;
  /** Whole seconds of the audio; a begun one counts. */
  seconds: number;
  /** What its audio and its prompt are in tokens, at most. */
  inputTokensMax: number;
  /** The most tokens of the transcript. */
  outputTokensMax: number;
}

const secondsRule = 'must be a number of seconds above 0';
const temperatureRule = 'must be a number from 0 to 1';

/** Fields of forms are texts. */
const common = {
  model: modelId,
  prompt: text.nullish(),
  temperature: z
    .string(temperatureRule)
    .refine((value) => value !== '' && Number(value) >= 0 && Number(value) <= 1, temperatureRule)
    .nullish(),
  /** Of the file, which is no part of the fields. */
  audio_seconds: z.number(secondsRule).positive(secondsRule),
};
export const transcriptionBody = z.object({
  ...common,
  language: text.nullish(),
  response_format: oneOf(transcriptFormats).nullish(),
  stream: oneOf(['true', 'false']).nullish(),
});
export const translationBody = z.object({ ...common, response_format: oneOf(translationFormats).nullish() });

/** More words than anyone says. */
const wordTokensPerSecond = 10;

/**
 * The facts of a form's fields, with `audio_seconds` beside them. Refuses with `missing_parameter` or `invalid_parameter`
 * and the name of the first fault.
 */
export function parseTranscriptionFields(body: unknown): TranscriptionFacts {
  const { stream, ...fields } = parseWith(transcriptionBody, body);
  return factsOf(fields, stream === 'true');
}

/** The same of a translation, which is never streamed. */
export const parseTranslationFields = (body: unknown): TranscriptionFacts =>
  factsOf(parseWith(translationBody, body), false);

function factsOf(
  fields: {
    response_format?: TranscriptFormat | null | undefined;
    prompt?: string | null | undefined;
    audio_seconds: number;
  },
  stream: boolean,
): TranscriptionFacts {
  const seconds = Math.ceil(fields.audio_seconds);
  return {
    format: fields.response_format ?? 'json',
    stream,
    seconds,
    inputTokensMax: seconds * audioTokensPerSecond + (fields.prompt ?? '').length,
    outputTokensMax: seconds * wordTokensPerSecond,
  };
}

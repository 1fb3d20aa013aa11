/**
 * The speech request, checked but not changed: the body is forwarded as it came. Fields that are not known here pass: what
 * an upstream makes of them is its own affair.
 */
import { z } from 'zod';
import { speechCharactersMax } from '../limits.ts';
import { type AudioFormat, audioFormats, audioTokensPerSecond } from '../audio.ts';
import { modelId, numberFrom, oneOf, text, word } from './fields.ts';
import { parseWith } from './parse.ts';
import { isLongerThan } from './prompt.ts';
import { type Allowed, refuseUnpriced } from './unpriced.ts';

/** What the gateway must know of a speech call; the rest is the upstream's. */
export interface SpeechFacts {
  format: AudioFormat;
  /** Events were asked for in the place of the audio itself. */
  stream: boolean;
  /** Code points of the text. */
  characters: number;
  /** The most that it can last. */
  secondsMax: number;
  /** The most tokens of that audio. */
  tokensMax: number;
}

const inputRule = `must be a string of 1 to ${speechCharactersMax} characters`;
const voiceRule = 'must be the name of a voice or an object with its id';
const voice = z.union([word, z.looseObject({ id: word })], voiceRule).meta({
  anyOf: [
    { type: 'string', minLength: 1 },
    { type: 'object', required: ['id'] },
  ],
});

export const speechBody = z.object({
  model: modelId,
  input: z
    .string(inputRule)
    .refine((value) => value !== '' && !isLongerThan(value, speechCharactersMax), inputRule)
    .meta({ minLength: 1, maxLength: speechCharactersMax }),
  voice,
  instructions: text.nullish(),
  response_format: oneOf(audioFormats).nullish(),
  speed: numberFrom(0.25, 4).nullish(),
  stream_format: oneOf(['audio', 'sse']).nullish(),
});

/** What is written as one character and takes longest to say is a letter or a digit by itself, some 0.7 s. */
const secondsPerCharacterMax = 1;

/**
 * The facts of a speech body. Refuses with `missing_parameter` or `invalid_parameter` and the path of the first fault.
 * What costs money upstream and has no price here is refused unless it is `allowed`.
 */
export function parseSpeechRequest(body: unknown, allowed: Allowed = []): SpeechFacts {
  const { input, response_format: format, speed, stream_format: wire } = parseWith(speechBody, body);
  refuseUnpriced(body, allowed);
  const characters = Array.from(input).length;
  const secondsMax = Math.ceil((characters * secondsPerCharacterMax) / (speed ?? 1));
  const tokensMax = secondsMax * audioTokensPerSecond;
  return { format: format ?? 'mp3', stream: wire === 'sse', characters, secondsMax, tokensMax };
}

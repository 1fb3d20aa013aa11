/**
 * The simulator's speech: a tone for each character, and silence for spaces, so that it lasts as long as its text is. Made
 * here as PCM, WAV or MP3: a tone needs no encoder, its frames of MP3 are written bit by bit.
 */
import { mediaTypeOfAudio } from '../domain/audio.ts';
import type { JsonObject } from '../domain/json/json-object.ts';
import { numberOr } from './chat-prompt.ts';
import { tokensOf } from './chat-tokens.ts';
import { mergeUsage } from './chat-usage.ts';
import { toneFrame } from './tone-frame.ts';
import type { Mistake } from './wire-form.ts';

const formats = ['mp3', 'wav', 'pcm'] as const;
type Format = (typeof formats)[number];

export const samplesPerSecond = 24_000;
/** One frame of MP3 at this rate: 24 ms. */
export const frameSamples = 576;
/** So a character takes 72 ms, as of a fast speaker. */
const framesPerCharacter = 3;
/** Whole periods in a frame, so that tones have no clicks: from 250 to 875 Hz. */
const periodsMin = 6;
const tones = 16;
const loudness = 0.2;
/** The size of a WAV's data where its writer can't know it. */
const unknownBytes = 0xffff_ffff;
const tokensPerSecond = 20;

/** The text of a body, in which its knobs are. */
export const spokenText = ({ input }: JsonObject & { input?: unknown }): string => String(input);

/** What is wrong with a body, beyond its knobs. */
export function speechMistake({
  response_format: asked,
}: JsonObject & { response_format?: unknown }): Mistake | undefined {
  if (asked === undefined || asked === null || isFormat(asked)) return undefined;
  return {
    param: 'response_format',
    message: `The simulator can't write ${JSON.stringify(asked)}: 'response_format' must be ${formats.map((name) => `'${name}'`).join(', ')}.`,
  };
}

export interface SimulatedSpeech {
  contentType: string;
  pieces: Buffer[];
}

/** The speech of a body without mistakes, a piece a character; `usage` is merged into that of its events. */
export function speechAnswer(body: JsonObject, usage: JsonObject | undefined): SimulatedSpeech {
  const { input, response_format: asked, speed, stream_format: wire } = body as Record<string, unknown>;
  const text = String(input);
  const format = isFormat(asked) ? asked : 'mp3';
  const pieces = audioOf(text, format, numberOr(speed, 1));
  const deltas = new Map<Buffer, Buffer>();
  const deltaOf = (audio: Buffer) => {
    let event = deltas.get(audio);
    if (!event) deltas.set(audio, (event = eventOf({ type: 'speech.audio.delta', audio: audio.toString('base64') })));
    return event;
  };
  if (wire !== 'sse') return { contentType: mediaTypeOfAudio[format], pieces };
  const inputTokens = tokensOf(text).length;
  const outputTokens = Math.ceil(
    (Array.from(text).length * framesPerCharacter * frameSamples * tokensPerSecond) /
      samplesPerSecond /
      numberOr(speed, 1),
  );
  const counted = { input_tokens: inputTokens, output_tokens: outputTokens, total_tokens: inputTokens + outputTokens };
  return {
    contentType: 'text/event-stream; charset=utf-8',
    pieces: [...pieces.map(deltaOf), eventOf({ type: 'speech.audio.done', usage: mergeUsage(counted, usage) })],
  };
}

const eventOf = (event: JsonObject): Buffer => Buffer.from(`data: ${JSON.stringify(event)}\n\n`);

const isFormat = (value: unknown): value is Format => formats.some((name) => name === value);

/** Characters share the bytes of their tone, so that a long text takes no memory to speak of. */
function audioOf(text: string, format: Format, speed: number): Buffer[] {
  const known = new Map<string, Buffer>();
  let frames = 0;
  const pieces = Array.from(text, (character, at) => {
    // So that all of it lasts as long as it should, however short one of them is.
    const count = Math.max(at === 0 ? 1 : 0, Math.round(((at + 1) * framesPerCharacter) / speed) - frames);
    frames += count;
    const tone = /\s/u.test(character) ? undefined : (character.codePointAt(0) ?? 0) % tones;
    const name = `${count} ${tone}`;
    let piece = known.get(name);
    if (!piece) known.set(name, (piece = Buffer.concat(Array<Buffer>(count).fill(frameOf(format, tone)))));
    return piece;
  });
  const spoken = pieces.filter(({ length }) => length > 0);
  return format === 'wav' ? [wavHead(frames * frameSamples * 2), ...spoken] : spoken;
}

/** A frame of a tone, or of silence. */
function frameOf(format: Format, tone: number | undefined): Buffer {
  const periods = tone === undefined ? 0 : periodsMin + tone;
  if (format === 'mp3') return toneFrame(periods);
  const frame = Buffer.alloc(frameSamples * 2);
  for (let at = 0; at < frameSamples; at++)
    frame.writeInt16LE(Math.round(32_767 * loudness * Math.sin((2 * Math.PI * periods * at) / frameSamples)), at * 2);
  return frame;
}

function wavHead(dataBytes: number): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(Math.min(dataBytes + 36, unknownBytes), 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(samplesPerSecond, 24);
  head.writeUInt32LE(samplesPerSecond * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(dataBytes, 40);
  return head;
}

/**
 * The simulator's transcripts: two words a second, drawn by the bytes of the audio, in all formats. The same file gets the
 * same words.
 */
import { createHash } from 'node:crypto';
import { AudioLength } from '../media/audio-length/audio-length.ts';
import type { JsonObject } from '../domain/json/json-object.ts';
import type { ChatForm } from '../providers/chat-contract.ts';
import { mergeUsage } from './chat-usage.ts';

const vocabulary =
  'toll gate bridge road river keeper lantern coin wagon horse morning rain north bell harbour stone'.split(' ');
const secondsPerWord = 0.5;
const wordsPerSegment = 8;
/** Of audio whose length can't be seen as it passes, such as MP4. */
const secondsDefault = 2;

/** A part of what was heard, with its times in seconds. */
interface Segment {
  start: number;
  end: number;
  text: string;
}

export interface Heard {
  seconds: number;
  words: Segment[];
}

/** The value of the first field of that name. */
export const fieldOf = ({ fields }: ChatForm, name: string): string | undefined =>
  fields.find((field) => field.name === name)?.value;

/** Listens to the file of a form. */
export async function heardIn({ file }: ChatForm): Promise<Heard> {
  const length = new AudioLength('mp3');
  const hash = createHash('sha256');
  const bytes: AsyncIterable<Buffer> = await file.open();
  for await (const piece of bytes) {
    length.push(piece);
    hash.update(piece);
  }
  const drawn = hash.digest();
  const seconds = length.wholeSeconds || secondsDefault;
  const words = Array.from({ length: seconds / secondsPerWord }, (_, at): Segment => {
    const draw = (drawn[at % drawn.length] ?? 0) + at;
    const start = at * secondsPerWord;
    return { start, end: start + secondsPerWord, text: vocabulary[draw % vocabulary.length] ?? '' };
  });
  return { seconds, words };
}

/** The answer to a form; `usage` is merged into its usage. */
export function transcriptAnswer(
  form: ChatForm,
  { seconds, words }: Heard,
  usage: JsonObject | undefined,
): { contentType: string; pieces: Buffer[] } {
  const text = textOf(words);
  const segments = segmentsOf(words);
  const spent = mergeUsage({ type: 'duration', seconds }, usage);
  const format = fieldOf(form, 'response_format') ?? 'json';
  if (fieldOf(form, 'stream') === 'true') {
    const events = words.map((word, at) =>
      eventOf({ type: 'transcript.text.delta', delta: `${at === 0 ? '' : ' '}${word.text}` }),
    );
    const done = eventOf({ type: 'transcript.text.done', text, usage: spent });
    return { contentType: 'text/event-stream; charset=utf-8', pieces: [...events, done] };
  }
  switch (format) {
    case 'text':
      return plain(`${text}\n`);
    case 'srt':
      return plain(segments.map((one, at) => `${at + 1}\n${timesOf(one, ',')}\n${one.text}\n\n`).join(''));
    case 'vtt':
      return plain(`WEBVTT\n\n${segments.map((one) => `${timesOf(one, '.')}\n${one.text}\n\n`).join('')}`);
    case 'verbose_json':
      return json({
        ...{ task: 'transcribe', language: fieldOf(form, 'language') ?? 'english', duration: seconds, text },
        segments: segments.map((one, id) => ({ id, ...one })),
        words: words.map(({ text: word, start, end }) => ({ word, start, end })),
        usage: spent,
      });
    case 'diarized_json':
      return json({
        ...{ task: 'transcribe', duration: seconds, text },
        segments: segments.map((one, id) => ({
          type: 'transcript.text.segment',
          id: `seg_${id}`,
          speaker: 'A',
          ...one,
        })),
        usage: spent,
      });
    default:
      return json({ text, usage: spent });
  }
}

const textOf = (words: readonly Segment[]): string => words.map(({ text }) => text).join(' ');

function segmentsOf(words: readonly Segment[]): Segment[] {
  const segments: Segment[] = [];
  for (let at = 0; at < words.length; at += wordsPerSegment) {
    const part = words.slice(at, at + wordsPerSegment);
    segments.push({ start: part[0]?.start ?? 0, end: part.at(-1)?.end ?? 0, text: textOf(part) });
  }
  return segments;
}

const timesOf = ({ start, end }: Segment, mark: string): string => `${timeOf(start, mark)} --> ${timeOf(end, mark)}`;

/** As `00:01:02,500`. */
const timeOf = (seconds: number, mark: string): string =>
  new Date(Math.round(seconds * 1000)).toISOString().slice(11, 23).replace('.', mark);

const eventOf = (event: JsonObject): Buffer => Buffer.from(`data: ${JSON.stringify(event)}\n\n`);
const plain = (text: string) => ({ contentType: 'text/plain; charset=utf-8', pieces: [Buffer.from(text)] });
const json = (body: JsonObject) => ({ contentType: 'application/json', pieces: [Buffer.from(JSON.stringify(body))] });

/**
 * The meter of streams of speech and transcripts: each event has a `type`, and the last one a usage. Audio comes as base64
 * in events of its own, and is handed on as bytes.
 */
import { refuseManyValues } from '../json/json-bounds.ts';
import type { JsonObject } from '../json/json-object.ts';
import { isUsage, type UsageForm } from '../usage/vendor-usage.ts';
import { type AnswerStatement, textIn } from './answer-statement.ts';
import { readJson } from './json-reading.ts';
import { isDoneMark, type StreamMeter, type Verdict } from './metered-stream.ts';
import type { SseEvent } from './sse.ts';

const lastTypes: readonly (string | undefined)[] = ['speech.audio.done', 'transcript.text.done'];
/** Of a transcript that breaks off, as much of its text as is counted; a day of speech is less. */
const charactersMax = 1_048_576;

export class AudioEventsMeter implements StreamMeter {
  readonly showsNames = true;
  readonly terminator = undefined;
  readonly #form: UsageForm;
  readonly #onAudio: (audio: Buffer) => void;
  #usage: JsonObject | undefined;
  #text = '';
  #isComplete = false;
  #errorData: Buffer | undefined;

  constructor(form: UsageForm, onAudio: (audio: Buffer) => void) {
    this.#form = form;
    this.#onAudio = onAudio;
  }

  get stated(): AnswerStatement {
    return { id: undefined, tier: undefined, usage: this.#usage, toolCalls: {} };
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  get errorData(): Buffer | undefined {
    return this.#errorData;
  }

  /** None: audio is measured, so each event is read. */
  plainBytes(): number {
    return 0;
  }

  keep(): void {
    throw new TypeError('no event of audio is plain');
  }

  take({ event: name, data }: SseEvent): Verdict {
    refuseManyValues(data);
    if (this.#isComplete || this.#errorData !== undefined || data.length === 0 || isDoneMark(data)) return 'hide';
    const event = readJson(data, ['type', 'audio', 'delta', 'usage', 'error']);
    const type = textIn(event?.value('type'));
    if (event === undefined || name === 'error' || type === 'error' || event.isObject('error')) {
      this.#errorData = data;
      return 'error';
    }
    const audio = event.value('audio');
    if (typeof audio === 'string') this.#onAudio(Buffer.from(audio, 'base64'));
    const text = textIn(event.value('delta')) ?? '';
    if (this.#text.length + text.length <= charactersMax) this.#text += text;
    if (!lastTypes.includes(type)) return 'forward';
    const usage = event.value('usage');
    if (isUsage(this.#form, usage)) this.#usage = usage;
    this.#isComplete = true;
    return 'last';
  }

  /** Of a transcript; audio is measured. */
  producedText(): string {
    return this.#text;
  }

  producedScale(): number {
    return 1;
  }
}

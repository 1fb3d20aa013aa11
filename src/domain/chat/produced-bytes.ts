/** The events that a stream gave its caller, kept in case no usage comes and their text has to be counted. */
import { ByteCollector, type MemoryRoom } from './byte-collector.ts';
import { SseDecoder, type SseEvent } from './sse.ts';
import { jsonObjectOf, type JsonObject } from '../json/json-object.ts';

/** A million tokens of output in small chunks are more; beyond it, what was kept is taken as a sample of the whole. */
const keptBytesMax = 4 * 1024 * 1024;

/** An answer of 80 chunks fits, and no answer has to ask for room for it. */
const firstBytes = 16 * 1024;

export class ProducedBytes {
  readonly #kept: ByteCollector;
  #isFull = false;
  #bytes = 0;

  /** Where `room` has no more, what was kept until then is the sample. */
  constructor(room?: MemoryRoom) {
    this.#kept = new ByteCollector(keptBytesMax, room, firstBytes);
  }

  append(events: Buffer): void {
    this.#bytes += events.length;
    // Only what comes first is kept, so that nothing is missing in the middle.
    if (!this.#isFull) this.#isFull = !this.#kept.append(events);
  }

  /** The text of the kept events, by the function that knows the wire format. */
  text(textOf: (chunk: JsonObject, event: SseEvent) => string): string {
    const decoder = new SseDecoder();
    let text = '';
    for (const event of [...decoder.push(this.#kept.view()), ...decoder.end()]) {
      const chunk = jsonObjectOf(event.data);
      if (chunk !== undefined) text += textOf(chunk, event);
    }
    return text;
  }

  /** All bytes over the kept ones, from 1. */
  get scale(): number {
    return this.#kept.length === 0 ? 1 : Math.max(1, this.#bytes / this.#kept.length);
  }
}

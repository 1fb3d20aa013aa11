/** Finds in the text of a stream what the benchmark asks for: content chunks with their age, usage, and the end. */
import { type CallForm, clockMs, forms, stampDigits } from './wire.ts';

export class StreamScan {
  chunks = 0;
  hasUsage = false;
  isDone = false;
  #rest = '';
  readonly #form: (typeof forms)[CallForm];
  readonly #onChunk: (ageMs: number, isFirst: boolean) => void;

  constructor(form: CallForm, onChunk: (ageMs: number, isFirst: boolean) => void) {
    this.#form = forms[form];
    this.#onChunk = onChunk;
  }

  begin(): void {
    this.chunks = 0;
    this.hasUsage = false;
    this.isDone = false;
    this.#rest = '';
  }

  /** Takes the text of one read; a line that has not ended waits for the next. */
  feed(text: string): void {
    const all = this.#rest === '' ? text : this.#rest + text;
    const end = all.lastIndexOf('\n') + 1;
    this.#rest = end === all.length ? '' : all.slice(end);
    if (end === 0) return;
    const lines = end === all.length ? all : all.slice(0, end);
    const now = clockMs();
    const { marker, usage, done } = this.#form;
    let last = 0;
    for (let at = lines.indexOf(marker); at !== -1; at = lines.indexOf(marker, last)) {
      last = at + marker.length + stampDigits;
      const sentMs = Number(lines.slice(at + marker.length, last)) / 1000;
      this.#onChunk(now - sentMs, this.chunks === 0);
      this.chunks++;
    }
    // Both come after the last content chunk.
    if (!this.hasUsage) this.hasUsage = lines.includes(usage, last);
    if (!this.isDone) this.isDone = lines.includes(done, last);
  }

  /** What the stream lacks, in words; undefined if it is whole. */
  fault(chunks: number): string | undefined {
    if (this.chunks !== chunks) return `${this.chunks} of ${chunks} chunks`;
    if (!this.isDone) return `no ${this.#form.done}`;
    return this.hasUsage ? undefined : 'no usage chunk';
  }
}

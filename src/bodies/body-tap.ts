/** What a request of an account whose bodies are recorded says, and what it is answered, gathered while it runs. */
import type { BodyRules } from '../domain/requests/body-recording.ts';
import { fileText, formText, type FormSummary } from './form-text.ts';
import { type BodyKind, readBytesMax } from './redact-text.ts';

export class BodyTap {
  readonly rules: BodyRules;
  /** Of each of the two that are kept. */
  readonly bytesMax: number;
  request: TappedBytes | undefined;
  readonly #pieces: Buffer[] = [];
  #keptBytes = 0;
  #answerBytes = 0;

  constructor(rules: BodyRules, bytesMax: number) {
    this.rules = rules;
    this.bytesMax = bytesMax;
  }

  takeRequest(bytes: Buffer): void {
    this.request = tapped(bytes);
  }

  /** A form, which was `bytes` long. */
  takeForm(form: FormSummary, bytes: number): void {
    this.request = { ...tapped(formText(form)), length: bytes, kind: 'form' };
  }

  /** An answer that is a file. */
  takeFile(type: string, bytes: number): void {
    this.#whole = { bytes: fileText(type, bytes), length: bytes, kind: 'file' };
  }

  /** A part of the answer. Of what comes in pieces, no more is held than is kept in the end. */
  addAnswer(bytes: Buffer): void {
    this.#answerBytes += bytes.length;
    const room = this.bytesMax + 1 - this.#keptBytes;
    if (room <= 0) return;
    // A copy: the piece may be a small part of what was read at once, which it would keep in memory.
    const kept = Buffer.from(bytes.subarray(0, room));
    this.#keptBytes += kept.length;
    this.#pieces.push(kept);
  }

  /** The answer, where all of it is there at once. */
  takeAnswer(bytes: Buffer): void {
    this.#whole = tapped(bytes);
  }
  #whole: TappedBytes | undefined;

  get answer(): TappedBytes | undefined {
    if (this.#whole || this.#answerBytes === 0) return this.#whole;
    return { bytes: Buffer.concat(this.#pieces, this.#keptBytes), length: this.#answerBytes, kind: 'text' };
  }
}

/** The first bytes of a body, or of what is kept in its place, and how long it is. */
export interface TappedBytes {
  bytes: Buffer;
  length: number;
  kind: BodyKind;
}

const tapped = (bytes: Buffer): TappedBytes => ({
  bytes: bytes.length > readBytesMax ? Buffer.from(bytes.subarray(0, readBytesMax)) : bytes,
  length: bytes.length,
  kind: 'text',
});

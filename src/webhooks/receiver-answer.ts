/** What a receiver answers: its beginning is kept as text, the rest is read and thrown away. */
import type { Dispatcher } from 'undici';
import { keepable } from '../domain/text.ts';

/** Enough for the message of an error. */
const keptBytesMax = 1024;
/** Read, so that a receiver that still writes is not cut off. */
const readBytesMax = 64 * 1024;

/**
 * Resolves once the body is over, broken, too long, or out of time: the status was there, so what becomes of the body changes
 * no outcome. Undefined where nothing came.
 */
export async function readAnswer(body: Dispatcher.ResponseData['body']): Promise<string | undefined> {
  let bytes = 0;
  let kept = Buffer.alloc(0);
  body.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (kept.length < keptBytesMax) kept = Buffer.concat([kept, chunk.subarray(0, keptBytesMax - kept.length)]);
    if (bytes > readBytesMax) body.destroy();
  });
  await new Promise<void>((resolve) => body.on('error', () => undefined).on('close', resolve));
  return answerText(kept) || undefined;
}

/** Without a character that was cut in two, and without what moves the cursor or turns the text around. */
function answerText(bytes: Buffer): string {
  const text = new TextDecoder().decode(bytes, { stream: true });
  return keepable(text.replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, '')).trim();
}

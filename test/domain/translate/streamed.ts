/** Chat streams as bytes on their way through the meter and a translation, and what comes out, read again. */
import { ChatStreamMeter } from '../../../src/domain/chat/chat-meter.ts';
import { MeteredStream } from '../../../src/domain/chat/metered-stream.ts';
import { SseDecoder } from '../../../src/domain/chat/sse.ts';
import type { JsonObject } from '../../../src/domain/json/json-object.ts';
import type { TokenCounts } from '../../../src/domain/billing/token-counts.ts';

export interface Translation {
  push(events: Buffer): Buffer | undefined;
  end(counted?: TokenCounts): Buffer;
}

export const bytesOf = (chunks: readonly JsonObject[]): Buffer =>
  Buffer.from([...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), 'data: [DONE]\n\n'].join(''));

/** The bytes that a caller gets of a stream that comes in these reads, the end of a whole stream included. */
export function translate(translation: Translation, reads: Iterable<Buffer>, counted?: TokenCounts): Buffer {
  const stream = new MeteredStream(new ChatStreamMeter({ choices: 1, showsUsage: true }));
  const sent: Buffer[] = [];
  const take = (events: Buffer | undefined) => {
    const translated = events && translation.push(events);
    if (translated) sent.push(translated);
  };
  for (const read of reads) take(stream.push(read));
  take(stream.end());
  sent.push(translation.end(counted));
  return Buffer.concat(sent);
}

/** The events of translated bytes. Each has its name also as `type`, as both APIs have it. */
export function eventsOf(bytes: Buffer): JsonObject[] {
  return new SseDecoder().push(bytes).map(({ event, data }) => {
    const value = JSON.parse(data.toString()) as JsonObject;
    if (value['type'] !== event) throw new Error(`${event} has the type ${String(value['type'])}`);
    return value;
  });
}

/** Cuts bytes at these places. */
export function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [...new Set([0, ...places, bytes.length])].sort((a, b) => a - b);
  return sorted.slice(1).map((end, at) => bytes.subarray(sorted[at], end));
}

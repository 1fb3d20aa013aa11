/** The wait that an answer asks for. */
import type { IncomingHttpHeaders } from 'node:http';

/**
 * Milliseconds, from `retry-after-ms` as OpenAI has it, or `Retry-After` in seconds or as a date (RFC 9110, section
 * 10.2.3); an hour at the most. `nowMs` is Unix time.
 */
export function retryAfterMs(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  const wished = writtenMs(headers, nowMs);
  return wished === undefined ? undefined : Math.min(wished, retryAfterMsMax);
}

/** No provider's limits are known for longer, and what waits for one asks again by then. */
const retryAfterMsMax = 3_600_000;

function writtenMs(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  const milliseconds = decimal(firstOf(headers['retry-after-ms']));
  if (milliseconds !== undefined) return Math.ceil(milliseconds);
  const written = firstOf(headers['retry-after']);
  if (written === undefined) return undefined;
  const seconds = decimal(written);
  if (seconds !== undefined) return Math.ceil(seconds * 1000);
  // A date begins with its weekday; whatever else Date.parse would read was not meant as one.
  const date = /^[A-Za-z]{3,9},? /.test(written) ? Date.parse(written) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

/** The only value of a header, or the first. */
export function firstOf(value: string | string[] | undefined): string | undefined {
  return typeof value === 'object' ? value[0] : value;
}

function decimal(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,12}(\.\d{1,6})?$/.test(text.trim()) ? Number(text) : undefined;
}

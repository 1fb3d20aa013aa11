/** The headers of calls to an upstream, and what its answers' headers say. */
import type { IncomingHttpHeaders } from 'node:http';
import type { ProviderSettings } from '../../domain/catalogue.ts';

/** They belong to the connection, or say how the body is written; an operator can't know them. */
const reserved = new Set([
  ...['connection', 'content-length', 'content-type', 'expect', 'host', 'keep-alive', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'accept-encoding', 'x-request-id', 'x-client-request-id'],
]);

/**
 * The headers of every call, flat: the key, and what the settings add or put in the place of our own. Throws for one
 * that can't be set, at the start and not at the first call.
 */
export function commonHeaders(settings: Pick<ProviderSettings, 'name' | 'apiKey' | 'headers'>): string[] {
  const headers = new Map<string, string>([
    // Compressed answers would have to be opened and could hold chunks back.
    ['accept-encoding', 'identity'],
    ['user-agent', 'tollgate'],
  ]);
  if (settings.apiKey !== undefined) headers.set('authorization', `Bearer ${settings.apiKey}`);
  for (const [name, value] of Object.entries(settings.headers)) {
    const key = name.toLowerCase();
    if (reserved.has(key)) throw new Error(`providers.${settings.name}.headers.${name}: can't be set`);
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(key) || /[^\t\x20-\x7e\x80-\xff]/.test(value)) {
      throw new Error(`providers.${settings.name}.headers.${name}: is no valid header`);
    }
    headers.set(key, value);
  }
  return [...headers].flat();
}

/**
 * The wait that an answer asks for, in seconds: `retry-after-ms` as OpenAI has it, or `Retry-After` in seconds or as a
 * date (RFC 9110, section 10.2.3). `nowMs` is Unix time.
 */
export function retryAfterSeconds(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  const milliseconds = decimal(firstOf(headers['retry-after-ms']));
  if (milliseconds !== undefined) return Math.ceil(milliseconds / 1000);
  const written = firstOf(headers['retry-after']);
  if (written === undefined) return undefined;
  const seconds = decimal(written);
  if (seconds !== undefined) return Math.ceil(seconds);
  // A date begins with its weekday; whatever else Date.parse would read was not meant as one.
  const date = /^[A-Za-z]{3,9},? /.test(written) ? Date.parse(written) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - nowMs) / 1000));
}

/** The only value of a header, or the first. */
export function firstOf(value: string | string[] | undefined): string | undefined {
  return typeof value === 'object' ? value[0] : value;
}

function decimal(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,12}(\.\d{1,6})?$/.test(text.trim()) ? Number(text) : undefined;
}

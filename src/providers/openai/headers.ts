/** The headers of calls to an upstream, and what its answers' headers say. */
import type { IncomingHttpHeaders } from 'node:http';
import type { ProviderSettings } from '../../domain/catalogue.ts';
import { retryAfterMs } from '../http/retry-after.ts';

/** They belong to the connection, or say how the body is written; an operator can't know them. */
const reserved = new Set([
  ...['connection', 'content-length', 'content-type', 'expect', 'host', 'keep-alive', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'accept-encoding', 'x-request-id', 'x-client-request-id'],
]);

/**
 * The headers of every call, flat: the key, `more`, and what the settings add or put in the place of our own. Throws for
 * one that can't be set, at the start and not at the first call.
 */
export function commonHeaders(
  { name: provider, secrets, headers: own }: Pick<ProviderSettings, 'name' | 'secrets' | 'headers'>,
  more: Readonly<Record<string, string>> = {},
): string[] {
  const headers = new Map<string, string>([
    // Compressed answers would have to be opened and could hold chunks back.
    ['accept-encoding', 'identity'],
    ['user-agent', 'tollgate'],
  ]);
  const key = secrets['api_key'];
  if (key !== undefined) headers.set('authorization', `Bearer ${key}`);
  for (const [name, value] of Object.entries(more)) headers.set(name, value);
  for (const [name, value] of Object.entries(own)) {
    const key = name.toLowerCase();
    if (reserved.has(key)) throw new Error(`providers.${provider}.headers.${name}: can't be set`);
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(key) || /[^\t\x20-\x7e\x80-\xff]/.test(value)) {
      throw new Error(`providers.${provider}.headers.${name}: is no valid header`);
    }
    headers.set(key, value);
  }
  return [...headers].flat();
}

/** The wait that an answer asks for, in whole seconds. `nowMs` is Unix time. */
export function retryAfterSeconds(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  const milliseconds = retryAfterMs(headers, nowMs);
  return milliseconds === undefined ? undefined : Math.ceil(milliseconds / 1000);
}

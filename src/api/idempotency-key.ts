/** The `Idempotency-Key` header: what makes a billable POST safe to send again. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../domain/json/canonical-json.ts';
import { GatewayError } from '../domain/errors.ts';
import type { ApiContext } from './context.ts';

/** The key, if the caller sent one; refuses an empty or too long one. */
export function idempotencyKeyOf(ctx: ApiContext): string | undefined {
  if (ctx.headers['idempotency-key'] === undefined) return undefined;
  const key = ctx.get('Idempotency-Key');
  if (key.length >= 1 && key.length <= 255) return key;
  throw new GatewayError('invalid_parameter', 'Idempotency-Key must have 1 to 255 characters.', {
    param: 'Idempotency-Key',
  });
}

/** What a key is bound to: equal values, whatever the order of their names, are the same request. */
export const fingerprintOf = (value: unknown): Buffer => createHash('sha256').update(canonicalJson(value)).digest();

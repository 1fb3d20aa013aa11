/** The form of an error that callers get, to be asserted of any answer. */
import assert from 'node:assert/strict';
import type { Answer } from './gateway.ts';

/** The error table, written out once more: a change of the code's own table must be seen here. */
const rows: Record<string, [status: number, type: string]> = {
  invalid_json: [400, 'invalid_request_error'],
  missing_parameter: [400, 'invalid_request_error'],
  invalid_parameter: [400, 'invalid_request_error'],
  content_policy_violation: [400, 'invalid_request_error'],
  missing_api_key: [401, 'authentication_error'],
  invalid_api_key: [401, 'authentication_error'],
  insufficient_balance: [402, 'billing_error'],
  permission_denied: [403, 'permission_error'],
  model_not_allowed: [403, 'permission_error'],
  account_suspended: [403, 'permission_error'],
  model_not_found: [404, 'not_found_error'],
  response_not_found: [404, 'not_found_error'],
  body_not_found: [404, 'not_found_error'],
  batch_not_found: [404, 'not_found_error'],
  file_not_found: [404, 'not_found_error'],
  task_not_found: [404, 'not_found_error'],
  route_not_found: [404, 'not_found_error'],
  method_not_allowed: [405, 'invalid_request_error'],
  idempotency_key_reused: [409, 'conflict_error'],
  idempotency_key_used: [409, 'conflict_error'],
  task_being_fetched: [409, 'conflict_error'],
  batch_not_cancellable: [409, 'conflict_error'],
  task_not_cancellable: [409, 'conflict_error'],
  task_not_ended: [409, 'conflict_error'],
  request_too_large: [413, 'invalid_request_error'],
  unsupported_media_type: [415, 'invalid_request_error'],
  call_limit_exceeded: [429, 'rate_limit_error'],
  spend_limit_exceeded: [429, 'rate_limit_error'],
  concurrency_limit_exceeded: [429, 'rate_limit_error'],
  upstream_rate_limited: [429, 'rate_limit_error'],
  internal_error: [500, 'server_error'],
  upstream_error: [502, 'upstream_error'],
  model_in_maintenance: [503, 'server_error'],
  overloaded: [503, 'server_error'],
  not_ready: [503, 'server_error'],
  outcome_unknown: [503, 'server_error'],
  upstream_timeout: [504, 'upstream_error'],
};

/** Codes whose answers the OpenAI SDKs must not send again by themselves. */
const neverAgain = new Set([
  'insufficient_balance',
  'idempotency_key_reused',
  'idempotency_key_used',
  'task_being_fetched',
  'task_not_cancellable',
  'task_not_ended',
  'batch_not_cancellable',
  'spend_limit_exceeded',
  'outcome_unknown',
]);

/** Asserts that an answer is this error in exactly the documented form, headers included. */
export function assertError({ status, headers, body }: Answer, code: string, param: string | null = null): void {
  const row = rows[code];
  assert.ok(row, `the error table has no ${code}`);
  const { message } = (body['error'] ?? {}) as { message?: unknown };
  assert.deepEqual({ status, body }, { status: row[0], body: { error: { message, type: row[1], param, code } } });
  assert.ok(typeof message === 'string' && message.length > 10, 'the message says something');
  assert.match(headers.get('content-type') ?? '', /^application\/json/);
  assert.match(headers.get('x-request-id') ?? '', /^[A-Za-z0-9._-]{1,128}$/);
  assert.equal(headers.get('www-authenticate'), status === 401 ? 'Bearer' : null);
  // Nor those of a limit that is over in more than a minute, or never: agents would sleep through that.
  const isLong = row[0] === 429 && !headers.has('retry-after');
  assert.equal(headers.get('x-should-retry'), neverAgain.has(code) || isLong ? 'false' : null);
}

/** The error table, code by code: status and type are what clients rely on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ErrorCode, errorBody, errorTable, GatewayError } from '../../src/domain/errors.ts';

const rows: readonly [status: number, type: string, codes: readonly ErrorCode[]][] = [
  [
    400,
    'invalid_request_error',
    ['invalid_json', 'missing_parameter', 'invalid_parameter', 'content_policy_violation'],
  ],
  [401, 'authentication_error', ['missing_api_key', 'invalid_api_key']],
  [402, 'billing_error', ['insufficient_balance']],
  [403, 'permission_error', ['permission_denied', 'model_not_allowed', 'account_suspended']],
  [
    404,
    'not_found_error',
    [
      'model_not_found',
      'response_not_found',
      'file_not_found',
      'batch_not_found',
      'task_not_found',
      'body_not_found',
      'route_not_found',
    ],
  ],
  [405, 'invalid_request_error', ['method_not_allowed']],
  [
    409,
    'conflict_error',
    [
      'idempotency_key_reused',
      'idempotency_key_used',
      'task_being_fetched',
      'batch_not_cancellable',
      'task_not_cancellable',
      'task_not_ended',
    ],
  ],
  [413, 'invalid_request_error', ['request_too_large']],
  [415, 'invalid_request_error', ['unsupported_media_type']],
  [
    429,
    'rate_limit_error',
    ['call_limit_exceeded', 'spend_limit_exceeded', 'concurrency_limit_exceeded', 'upstream_rate_limited'],
  ],
  [500, 'server_error', ['internal_error']],
  [502, 'upstream_error', ['upstream_error']],
  [503, 'server_error', ['model_in_maintenance', 'overloaded', 'not_ready', 'outcome_unknown']],
  [504, 'upstream_error', ['upstream_timeout']],
];

for (const [status, type, codes] of rows) {
  for (const code of codes) {
    test(`${code} is ${status} ${type}`, () => assert.deepEqual(errorTable[code], { status, type }));
  }
}

/** Of the console's own API; the public one never answers them. */
const ofConsole: readonly ErrorCode[] = [
  'not_signed_in',
  'wrong_password',
  'origin_not_allowed',
  'last_owner',
  'too_many_attempts',
  'would_lock_out',
];

test('the table has no other codes, but for that of a cancelled task and those of the console', () => {
  const ofApi = rows.flatMap(([, , codes]) => codes);
  assert.deepEqual(Object.keys(errorTable).sort(), [...ofApi, 'cancelled', ...ofConsole].sort());
});

test('an error shown outside has all four keys', () => {
  const error = new GatewayError('invalid_parameter', 'n must be 1 to 10.', { param: 'n' });
  assert.deepEqual(errorBody(error), {
    message: 'n must be 1 to 10.',
    type: 'invalid_request_error',
    param: 'n',
    code: 'invalid_parameter',
  });
  assert.equal(errorBody(new GatewayError('internal_error', 'x')).param, null);
});

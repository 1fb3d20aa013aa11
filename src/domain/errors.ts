/**
 * Every error that callers get, as one table. Code throws a GatewayError with a code of this table; its form
 * changes at two borders only: `activities/activity-failures.ts` (to Temporal) and `api/middleware/error-answers.ts` (to HTTP).
 */
export const errorTable = {
  invalid_json: { status: 400, type: 'invalid_request_error' },
  missing_parameter: { status: 400, type: 'invalid_request_error' },
  invalid_parameter: { status: 400, type: 'invalid_request_error' },
  content_policy_violation: { status: 400, type: 'invalid_request_error' },
  missing_api_key: { status: 401, type: 'authentication_error' },
  invalid_api_key: { status: 401, type: 'authentication_error' },
  insufficient_balance: { status: 402, type: 'billing_error' },
  permission_denied: { status: 403, type: 'permission_error' },
  model_not_allowed: { status: 403, type: 'permission_error' },
  account_suspended: { status: 403, type: 'permission_error' },
  model_not_found: { status: 404, type: 'not_found_error' },
  response_not_found: { status: 404, type: 'not_found_error' },
  file_not_found: { status: 404, type: 'not_found_error' },
  batch_not_found: { status: 404, type: 'not_found_error' },
  task_not_found: { status: 404, type: 'not_found_error' },
  body_not_found: { status: 404, type: 'not_found_error' },
  route_not_found: { status: 404, type: 'not_found_error' },
  method_not_allowed: { status: 405, type: 'invalid_request_error' },
  idempotency_key_reused: { status: 409, type: 'conflict_error' },
  idempotency_key_used: { status: 409, type: 'conflict_error' },
  task_being_fetched: { status: 409, type: 'conflict_error' },
  batch_not_cancellable: { status: 409, type: 'conflict_error' },
  task_not_cancellable: { status: 409, type: 'conflict_error' },
  task_not_ended: { status: 409, type: 'conflict_error' },
  request_too_large: { status: 413, type: 'invalid_request_error' },
  unsupported_media_type: { status: 415, type: 'invalid_request_error' },
  call_limit_exceeded: { status: 429, type: 'rate_limit_error' },
  spend_limit_exceeded: { status: 429, type: 'rate_limit_error' },
  concurrency_limit_exceeded: { status: 429, type: 'rate_limit_error' },
  upstream_rate_limited: { status: 429, type: 'rate_limit_error' },
  internal_error: { status: 500, type: 'server_error' },
  upstream_error: { status: 502, type: 'upstream_error' },
  model_in_maintenance: { status: 503, type: 'server_error' },
  overloaded: { status: 503, type: 'server_error' },
  not_ready: { status: 503, type: 'server_error' },
  /** It may have been done all the same; every other 503 means that nothing was. */
  outcome_unknown: { status: 503, type: 'server_error' },
  upstream_timeout: { status: 504, type: 'upstream_error' },
  /** The `error.code` of a task that its owner or an operator ended; never the status of an answer of its own. */
  cancelled: { status: 409, type: 'conflict_error' },
  // Of the console's own API, which has people instead of keys.
  not_signed_in: { status: 401, type: 'authentication_error' },
  wrong_password: { status: 401, type: 'authentication_error' },
  origin_not_allowed: { status: 403, type: 'permission_error' },
  last_owner: { status: 409, type: 'conflict_error' },
  too_many_attempts: { status: 429, type: 'rate_limit_error' },
  would_lock_out: { status: 409, type: 'conflict_error' },
} as const satisfies Record<string, { status: number; type: string }>;

export type ErrorCode = keyof typeof errorTable;

export interface ErrorDetails {
  /** Path of the refused value in the request, such as `messages[0].content`. */
  param?: string;
  /** Whole seconds after which another try makes sense. */
  retryAfterSeconds?: number;
  cause?: unknown;
}

/** An error with a place in the table. Its message is written for the caller: what was wrong and what is allowed. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly code: ErrorCode;
  readonly param: string | null;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    this.param = details.param ?? null;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

/** In the place of a message that was deleted with the request of its task. */
export const deletedMessage = 'The details of this error were deleted with the request.';

/** The error object shown to callers, in answers and in task records: always all four keys. */
export interface ErrorBody {
  message: string;
  type: (typeof errorTable)[ErrorCode]['type'];
  param: string | null;
  code: ErrorCode;
}

export const errorBody = (error: { code: ErrorCode; message: string; param?: string | null }): ErrorBody => ({
  message: error.message,
  type: errorTable[error.code].type,
  param: error.param ?? null,
  code: error.code,
});

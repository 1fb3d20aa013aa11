/** Errors that operations of a sort share. */

/** What every operation that names a model may refuse. */
export const modelErrors = ['model_not_found', 'model_not_allowed', 'model_in_maintenance'] as const;

/** What every billable call may refuse besides. */
export const billableErrors = [
  'insufficient_balance',
  'call_limit_exceeded',
  'spend_limit_exceeded',
  'idempotency_key_reused',
] as const;

/** What comes of an upstream that doesn't do its part. */
export const upstreamErrors = ['upstream_rate_limited', 'upstream_error', 'upstream_timeout'] as const;

/** The errors of chat and responses calls. */
export const callErrors = [...modelErrors, ...billableErrors, 'idempotency_key_used', ...upstreamErrors] as const;

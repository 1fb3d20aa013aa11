/** What each refusal looks like: an example a code, in words that the gateway uses. */
import { type ErrorCode, errorTable } from '../../domain/errors.ts';
import type { Examples } from './answer-examples.ts';

/** Of the public API's codes; those of the console speak to its own pages. */
const told: Readonly<Partial<Record<ErrorCode, { message: string; param?: string }>>> = {
  invalid_json: { message: 'The body is not valid JSON: it ends too early.' },
  missing_parameter: { message: "'model' is required: it must be the id of a model.", param: 'model' },
  invalid_parameter: { message: "'n' must be a whole number from 1 to 10.", param: 'n' },
  content_policy_violation: { message: 'The prompt was refused by content moderation.', param: 'prompt' },
  missing_api_key: { message: "Send your API key in the header 'Authorization: Bearer <key>'." },
  invalid_api_key: { message: 'This API key is not known here.' },
  insufficient_balance: { message: 'The call would hold 0.2 yuan, and the balance is 0.05 yuan.' },
  permission_denied: { message: 'This key has the level read; the operation needs standard.' },
  model_not_allowed: { message: "This key may not use the model 'other-model'.", param: 'model' },
  account_suspended: { message: 'This account is suspended.' },
  model_not_found: {
    message: "There is no model 'other-model'. GET /models lists those there are.",
    param: 'model',
  },
  response_not_found: { message: 'This account has no such response.' },
  task_not_found: { message: 'There is no such task.' },
  route_not_found: { message: 'There is nothing of this address.' },
  idempotency_key_reused: { message: 'This Idempotency-Key came with another body before.' },
  idempotency_key_used: { message: 'This Idempotency-Key was used by a call whose answer was not kept.' },
  task_being_fetched: { message: 'This result is being fetched by another request.' },
  cancelled: { message: 'The task was cancelled.' },
  task_not_cancellable: { message: 'The task has ended; only one that has not can be cancelled.' },
  request_too_large: { message: 'The body must have at most 10485760 bytes.' },
  unsupported_media_type: { message: 'The body must be JSON in UTF-8, without another charset.' },
  call_limit_exceeded: { message: 'This key may make 60 calls a minute.' },
  spend_limit_exceeded: { message: 'This key may spend 10 yuan a day.' },
  concurrency_limit_exceeded: { message: 'This key may have 5 tasks running at once.' },
  upstream_rate_limited: { message: 'The model is asked too often. Try again later.' },
  internal_error: { message: 'Something went wrong here.' },
  upstream_error: { message: 'The model did not answer as it should.' },
  model_in_maintenance: { message: "The model 'other-model' is in maintenance.", param: 'model' },
  overloaded: { message: 'Too much is asked of this gateway at once. Try again in a moment.' },
  not_ready: { message: 'Not ready: the database does not answer.' },
  outcome_unknown: { message: 'The database went away before it said whether this was done.' },
  upstream_timeout: { message: 'The model took too long to answer.' },
};

/** The error object of a code; none of those that only the console's pages meet. */
export function errorExample(code: ErrorCode) {
  const { message, param = null } = told[code] ?? {};
  return message === undefined ? undefined : { message, type: errorTable[code].type, param, code };
}

/** One example for each of these codes that callers of the public API may meet. */
export function errorExamples(codes: readonly ErrorCode[]): Examples {
  const found = codes.flatMap((code) => {
    const error = errorExample(code);
    return error ? [[code, { summary: code, value: { error } }] as const] : [];
  });
  return Object.fromEntries(found);
}

/** A refusal in an upstream's own words. */
export const upstreamExample: Examples = {
  upstream: {
    summary: "An upstream's own",
    value: {
      error: {
        message: "This model's maximum context length is 8192 tokens.",
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    },
  },
};

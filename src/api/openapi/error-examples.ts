/** What each refusal looks like: an example a code, in words that the gateway uses. */
import { type ErrorCode, errorTable } from '../../domain/errors.ts';
import { messagesError, messagesStatusOf } from '../../domain/messages-errors.ts';
import type { Examples } from '../public-operation.ts';

/** Of the public API's codes, with `{currency}` for the gateway's; those of the console speak to its own pages. */
const words: Readonly<Partial<Record<ErrorCode, { message: string; param?: string }>>> = {
  invalid_json: { message: "The body is not valid JSON: line 1, column 9: expected ',' or '}'." },
  missing_parameter: {
    message: "'model' is required: it must be a model id: a string of 1 to 256 characters.",
    param: 'model',
  },
  invalid_parameter: { message: "'n' must be an integer from 1 to 10; got 11.", param: 'n' },
  content_policy_violation: { message: 'The prompt was refused by content moderation.', param: 'prompt' },
  missing_api_key: { message: "Send your API key in the header 'Authorization: Bearer <key>'." },
  invalid_api_key: { message: 'Invalid API key.' },
  insufficient_balance: {
    message:
      'Insufficient balance: this may cost up to 0.2 {currency}, but only 0.05 {currency} is available. Add credit to continue.',
  },
  permission_denied: { message: "This requires a key of level 'standard' or higher; this key's level is 'read'." },
  model_not_allowed: { message: "This API key may not use the model 'other-model'.", param: 'model' },
  account_suspended: { message: 'This account is suspended. Contact the operator.' },
  model_not_found: {
    message: "Model 'other-model' not found. GET /models lists the available models.",
    param: 'model',
  },
  response_not_found: { message: 'Response not found.' },
  body_not_found: {
    message:
      'No body is recorded of this request. Recording of bodies is switched off for this account, and none is kept from before.',
  },
  batch_not_found: { message: 'Batch not found.' },
  batch_not_cancellable: { message: "This batch can no longer be cancelled: its status is 'completed'." },
  file_not_found: { message: 'File not found.' },
  task_not_found: { message: 'Task not found.' },
  route_not_found: { message: 'No route matches /v1/unknown.' },
  idempotency_key_reused: {
    message: 'This Idempotency-Key was used with another request in the last 24 hours. Use a new key.',
  },
  idempotency_key_used: {
    message: "This Idempotency-Key was used for a stream, which can't be replayed. Use a new key.",
  },
  task_being_fetched: { message: 'Another request is downloading this result.' },
  cancelled: { message: 'The task was cancelled.' },
  task_not_cancellable: { message: "The task has already ended and can't be cancelled." },
  task_not_ended: { message: 'The video is still being made. GET it until its status is completed.' },
  request_too_large: { message: 'The body must not exceed 10485760 bytes.' },
  unsupported_media_type: { message: 'The body must be JSON encoded as UTF-8.' },
  call_limit_exceeded: { message: 'This key is limited to 60 calls per minute.' },
  spend_limit_exceeded: {
    message:
      'This key is limited to 10 {currency} per day, and this call may cost up to 0.2 {currency}: its quota is exceeded and will reset at 2026-11-25T00:00:00Z.',
  },
  concurrency_limit_exceeded: { message: 'This key is limited to 5 running tasks.' },
  upstream_rate_limited: { message: "Every route of 'other-model' is rate limited. Retry later." },
  internal_error: { message: 'Internal error. Give the operator the request id.' },
  upstream_error: { message: "'other-model' returned an unusable response. Try again." },
  model_in_maintenance: { message: "The model 'other-model' is under maintenance.", param: 'model' },
  overloaded: { message: 'Too many requests are in progress. Retry in a few seconds.' },
  not_ready: { message: 'Not ready: database: no answer.' },
  outcome_unknown: {
    message:
      'The connection to the database was lost before it confirmed the change. Check whether it was made before you retry.',
  },
  upstream_timeout: { message: "'other-model' did not respond in time." },
};

/** The error object of a code; none of those that only the console's pages meet. */
export function errorExample(code: ErrorCode, currency: string) {
  const { message, param = null } = words[code] ?? {};
  if (message === undefined) return undefined;
  return { message: message.replaceAll('{currency}', currency), type: errorTable[code].type, param, code };
}

/** One example for each of these codes that callers of the public API may meet. */
export function errorExamples(codes: readonly ErrorCode[], currency: string): Examples {
  const found = codes.flatMap((code) => {
    const error = errorExample(code, currency);
    return error ? [[code, { summary: code, value: { error } }] as const] : [];
  });
  return Object.fromEntries(found);
}

/** The same in Anthropic's form. */
export function messagesErrorExamples(codes: readonly ErrorCode[], currency: string): Examples {
  const found = codes.flatMap((code) => {
    const message = errorExample(code, currency)?.message;
    if (message === undefined) return [];
    const value = messagesError({ status: messagesStatusOf(code), message }, 'req_1');
    return [[code, { summary: code, value }] as const];
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

export const upstreamMessagesExample: Examples = {
  upstream: {
    summary: "An upstream's own",
    value: messagesError({ status: 400, message: 'prompt is too long: 213462 tokens > 200000 maximum' }, 'req_1'),
  },
};

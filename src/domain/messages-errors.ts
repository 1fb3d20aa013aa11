/** Errors as Anthropic's API has them, for callers that speak it. */
import { type ErrorCode, errorTable } from './errors.ts';

/** By the status of the answer; another one of the caller's is an invalid request, of the server's an API error. */
const types = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  504: 'timeout_error',
  529: 'overloaded_error',
} as const;
export type MessagesErrorType = (typeof types)[keyof typeof types];

export const messagesErrorTypes = Object.values(types);

export interface MessagesError {
  type: 'error';
  error: { type: MessagesErrorType; message: string };
  request_id: string;
}

/** Returns the status that an error of ours has there: overloaded has one of its own. */
export const messagesStatusOf = (code: ErrorCode): number => (code === 'overloaded' ? 529 : errorTable[code].status);

export function messagesTypeOf(status: number): MessagesErrorType {
  const known = Object.entries(types).find(([one]) => Number(one) === status);
  return known?.[1] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}

/** Returns the body of an error. A type that this API doesn't have gives way to that of the status. */
export function messagesError(
  { status, message, type }: { status: number; message: string; type?: string | null | undefined },
  requestId: string,
): MessagesError {
  const known = messagesErrorTypes.find((one) => one === type) ?? messagesTypeOf(status);
  return { type: 'error', error: { type: known, message }, request_id: requestId };
}

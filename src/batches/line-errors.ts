/** What becomes of a line that was refused: an answer as the API would give it, or another try later. */
import { errorBody, errorTable, type ErrorCode, type GatewayError } from '../domain/errors.ts';
import { messagesError, messagesStatusOf } from '../domain/messages-errors.ts';
import type { CallerFault, RouteFault } from '../chat/route-faults.ts';

export interface ErrorAnswer {
  statusCode: number;
  answer: Buffer;
  errorCode: string;
}

/** The answer that a refusal of the gateway is, in the form of the endpoint. */
export function answerOfRefusal(endpoint: string, error: GatewayError, requestId: string): ErrorAnswer {
  const isMessages = endpoint === 'messages';
  const statusCode = isMessages ? messagesStatusOf(error.code) : errorTable[error.code].status;
  const body = isMessages
    ? messagesError({ status: statusCode, message: error.message }, requestId)
    : { error: errorBody(error) };
  return { statusCode, answer: Buffer.from(JSON.stringify(body)), errorCode: error.code };
}

/** The answer that an upstream gave for the caller's own mistake. */
export function answerOfCallerFault(endpoint: string, fault: CallerFault, requestId: string): ErrorAnswer {
  const { status, message, param, code } = fault;
  const body =
    endpoint === 'messages'
      ? messagesError({ status, message, type: code }, requestId)
      : { error: { message, type: errorTable.invalid_parameter.type, param, code } };
  return { statusCode: status, answer: Buffer.from(JSON.stringify(body)), errorCode: code ?? 'invalid_request' };
}

/** What a refusal says about the lines behind it. */
export type RefusalKind =
  /** This line will never be admitted. */
  | 'line'
  /** This line may be admitted later. */
  | 'later'
  /** No line is admitted before there is money, or a new window of the key's limit. */
  | 'balance'
  | 'key_limit'
  /** The key or its account may do nothing more. */
  | 'key';

const kinds: Partial<Record<ErrorCode, RefusalKind>> = {
  insufficient_balance: 'balance',
  call_limit_exceeded: 'key_limit',
  spend_limit_exceeded: 'key_limit',
  concurrency_limit_exceeded: 'key_limit',
  invalid_api_key: 'key',
  account_suspended: 'key',
  permission_denied: 'key',
  model_in_maintenance: 'later',
  overloaded: 'later',
  not_ready: 'later',
  outcome_unknown: 'later',
  upstream_rate_limited: 'later',
};

export const kindOfRefusal = ({ code }: GatewayError): RefusalKind => kinds[code] ?? 'line';

/** Statuses by which a provider says that it is busy. */
const busyStatuses: ReadonlySet<number | undefined> = new Set([429, 503, 529]);

/** Whether a route took nothing on, now: it is busy, or can't be reached. */
export const isBusy = ({ kind, status, isReached }: RouteFault): boolean =>
  kind === 'limited' || busyStatuses.has(status) || !isReached;

/** Returns how long a line waits whose routes are all busy; undefined: one of them failed otherwise. */
export function waitOf(faults: readonly RouteFault[]): number | undefined {
  if (faults.length === 0 || !faults.every(isBusy)) return undefined;
  const soonestSeconds = Math.min(...faults.map(({ retryAfterSeconds }) => retryAfterSeconds ?? busySeconds));
  return Math.min(waitMsMax, Math.max(1, soonestSeconds) * 1000);
}

const busySeconds = 5;
/** Whatever a provider says, it is asked again within this time. */
const waitMsMax = 300_000;

/**
 * What Ark's errors mean for a task: `{"error":{"code","message","param","type"}}`, where the code is what counts. The
 * codes are those of its table (https://www.volcengine.com/docs/82379/1299023); many have suffixes behind a dot.
 */
import { z } from 'zod';
import type { Job } from '../contract.ts';
import { refusalOfStatus } from '../http/status-errors.ts';
import type { Refusal } from '../http/wire.ts';
import { callersName } from './caller-names.ts';

/** More than any honest message has. */
const readCharactersMax = 4_000;

export interface ArkError {
  /** Empty where it has none, as the others. */
  code: string;
  message: string;
  param: string;
}

/** The error in a body, of whatever status. */
export function arkErrorIn(body: unknown): ArkError | undefined {
  const { error } = withError.safeParse(body).data ?? {};
  if (typeof error === 'string') return { code: '', message: error, param: '' };
  return error ?? undefined;
}

/** What an error means; `otherwise` if its code says nothing to us. */
export function refusalOf(error: ArkError, job: Job, otherwise: Refusal): Refusal {
  const { code } = error;
  if (isPolicy(code)) return { code: 'content_policy_violation', fallOver: false, ...wordsOf(error, job) };
  if (isOfOptions(error, job)) return refusalOfStatus(403);
  if (isInput(code)) return { code: 'invalid_parameter', fallOver: false, ...wordsOf(error, job) };
  if (isBusy(code)) return refusalOfStatus(429);
  if (isOperators(code)) return refusalOfStatus(403);
  return otherwise.message === undefined ? { ...otherwise, ...wordsOf(error, job) } : otherwise;
}

/** `InputTextSensitiveContentDetected.PolicyViolation`, and the like of a second product (`OutputImageRiskDetection`). */
const isPolicy = (code: string): boolean => /SensitiveContentDetected|RiskDetection\b/.test(code);

const isInput = (code: string): boolean => inputs.has(familyOf(code));

const isBusy = (code: string): boolean => /RateLimitExceeded\b/.test(code) || busy.has(familyOf(code));

const isOperators = (code: string): boolean => code.includes('NotFound') || operators.has(familyOf(code));

const familyOf = (code: string): string => code.split('.', 1)[0] ?? '';

const inputs: ReadonlySet<string> = new Set([
  ...['InvalidParameter', 'MissingParameter', 'InvalidArgumentError', 'InvalidImageURL', 'OutofContextError'],
]);

const busy: ReadonlySet<string> = new Set(['ServerOverloaded', 'RequestBurstTooFast', 'InflightBatchsizeExceeded']);

/**
 * The operator's key, account, model or endpoint; some come with status 400 or 429. `QuotaExceeded` is a used-up allowance
 * or a full queue, distinguished by the message only. `ContentSecurityDetectionError` is a filter that is out of order.
 */
const operators: ReadonlySet<string> = new Set([
  ...['AuthenticationError', 'InvalidAccountStatus', 'InvalidSubscription', 'AccountOverdueError', 'AccessDenied'],
  ...['OperationDenied', 'QuotaExceeded', 'SetLimitExceeded', 'ModelNotOpen', 'UnsupportedModel'],
  ...['InvalidEndpoint', 'InvalidEndpointOrModel', 'ContentSecurityDetectionError'],
]);

/** The provider's own words, without its request id (kept for the operator), in the caller's names. */
/** About a field that only the operator has set, in the route's options. */
const isOfOptions = (error: ArkError, { options }: Job): boolean =>
  isInput(error.code) && Object.hasOwn(options, nameOf(error));

function wordsOf({ code, message, param }: ArkError, job: Job): Pick<Refusal, 'message' | 'param'> {
  const text = message.slice(0, readCharactersMax);
  const said = text
    .replace(requestId, (_, stop: string, laterStop: string | undefined) => stop || (laterStop ?? ''))
    .replace(/\bcontent\[\d+\](?:\.\w+)*/g, (path) => callersName(path, job) ?? path);
  const ours = callersName(nameOf({ code, message, param }), job);
  return { message: said || 'The provider refused the task.', ...(ours !== undefined && { param: ours }) };
}

/** Images' errors have the name in the message only (`The parameter `size` specified …`), videos' have both. */
const nameOf = ({ code, message, param }: ArkError): string =>
  param ||
  namedIn(message.slice(0, readCharactersMax)) ||
  (/^(?:Invalid|Missing)Parameter\.(.+)$/.exec(code)?.[1] ?? '');

/** With the full stops around it, of which one stays. */
const requestId = /(\.?)[\s,;:(]*\brequest[ _-]?id\b\s*[:=]?\s*[\w{}-]*\)?(?:\s*(\.))?/gi;

const namedIn = (message: string): string => /\bparameters? [`'"]([\w.[\]]{1,100})[`'"]/i.exec(message)?.[1] ?? '';

const word = z.string().catch('');
const withError = z.object({
  error: z.union([z.string(), z.object({ code: word, message: word, param: word })]).nullish(),
});

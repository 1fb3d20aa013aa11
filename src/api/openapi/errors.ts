/** Refusals: one answer for each status that an operation's codes have in the error table. */
import { type ErrorCode, errorTable } from '../../domain/errors.ts';
import { messagesStatusOf } from '../../domain/messages-errors.ts';
import {
  errorExample,
  errorExamples,
  messagesErrorExamples,
  upstreamExample,
  upstreamMessagesExample,
} from './error-examples.ts';
import { upstreamErrors } from './error-lists.ts';
import type { DocumentedOperation, DocumentedResponse } from './documented-operation.ts';
import { errorAnswer, messagesErrorAnswer } from './error-object.ts';
import { headers } from './headers.ts';
import { type JsonSchema, refOf } from './schemas.ts';

/** The errors of an operation that all of its sort have. */
function sharedErrors({ level, body }: DocumentedOperation): ErrorCode[] {
  return [
    'internal_error',
    'not_ready',
    'overloaded',
    ...(level === undefined ? [] : keyErrors),
    ...(body === undefined ? [] : bodyErrors),
    ...(body?.['application/json'] === undefined ? [] : (['invalid_json'] as const)),
  ];
}

/** The invalid parameter is the header `X-Tollgate-Tag`, which all of them take; any key may be kept to some addresses. */
const keyErrors = [
  'missing_api_key',
  'invalid_api_key',
  'account_suspended',
  'permission_denied',
  'invalid_parameter',
] as const;
const bodyErrors = ['missing_parameter', 'invalid_parameter', 'request_too_large', 'unsupported_media_type'] as const;

/** What a task may fail with while its creation waits for it. */
const failures = [
  'invalid_parameter',
  'content_policy_violation',
  'cancelled',
  'internal_error',
  ...upstreamErrors,
] as const;

/** The refusals of an operation by their status; equal ones of several operations have the same name. */
export function refusals(operation: DocumentedOperation): Record<number, DocumentedResponse> {
  const { upstreamRefusals, failedRecord, currency, errorForm } = operation;
  if (errorForm === 'messages') return messagesRefusals(operation);
  const own = [...new Set([...sharedErrors(operation), ...operation.errors])];
  const failed = failedRecord === undefined ? [] : failures;
  const statuses = new Set([...[...own, ...failed].map((code) => errorTable[code].status), ...upstreamRefusals]);
  return Object.fromEntries(
    [...statuses].map((status) => {
      const isOfStatus = (code: ErrorCode) => errorTable[code].status === status;
      const refused = own.filter(isOfStatus).sort();
      const failure = failed.find(isOfStatus);
      const record = failure && failedRecord ? { ...failedRecord, error: errorExample(failure, currency) } : undefined;
      return [status, refusal(status, refused, { record, isUpstreams: upstreamRefusals.includes(status), currency })];
    }),
  );
}

/** The same in Anthropic's form, which has no codes. */
function messagesRefusals(operation: DocumentedOperation): Record<number, DocumentedResponse> {
  const { errors: ofItsOwn, upstreamRefusals, currency } = operation;
  const own = [...new Set([...sharedErrors(operation), ...ofItsOwn])];
  const statuses = new Set([...own.map(messagesStatusOf), ...upstreamRefusals]);
  return Object.fromEntries(
    [...statuses].map((status) => {
      const refused = own.filter((code) => messagesStatusOf(code) === status).sort();
      const isUpstreams = upstreamRefusals.includes(status);
      const examples = { ...messagesErrorExamples(refused, currency), ...(isUpstreams && upstreamMessagesExample) };
      const texts = [...refused.map((code) => `\`${code}\``), ...(isUpstreams ? [upstreamsOwn] : [])];
      return [
        status,
        {
          name: ['messages', status, ...refused, ...(isUpstreams ? ['upstream'] : [])].join('.'),
          description: `${texts.join(', ')}.`,
          headers: headers('request-id', ...(headersOf[status] ?? [])),
          content: { 'application/json': { schema: refOf(messagesErrorAnswer), examples } },
        },
      ];
    }),
  );
}

const upstreamsOwn = "an upstream's refusal in its own words";

interface AlsoShown {
  /** A failed task's, which is an answer of this status too. */
  record: (NonNullable<DocumentedOperation['failedRecord']> & { error: unknown }) | undefined;
  isUpstreams: boolean;
  currency: string;
}

function refusal(
  status: number,
  refused: readonly ErrorCode[],
  { record, isUpstreams, currency }: AlsoShown,
): DocumentedResponse {
  const schemas: JsonSchema[] = [];
  if (isUpstreams) schemas.push(refOf(errorAnswer));
  else if (refused.length > 0) schemas.push(withCodes(refused));
  if (record) schemas.push(record.schema);
  const texts = [
    ...refused.map((code) => `\`${code}\``),
    ...(isUpstreams ? [upstreamsOwn] : []),
    ...(record ? ["the failed task's record"] : []),
  ];
  const [only] = schemas;
  const failedExample = record && {
    failed_task: { summary: "The failed task's record", value: record.exampleWith(record.error) },
  };
  return {
    name: [status, ...refused, ...(isUpstreams ? ['upstream'] : []), ...(record ? [record.name] : [])].join('.'),
    description: `${texts.join(', ')}.`,
    headers: headers(...(headersOf[status] ?? []), ...(record ? (['x-should-retry'] as const) : [])),
    content: {
      'application/json': {
        schema: schemas.length === 1 && only ? only : { anyOf: schemas },
        examples: { ...errorExamples(refused, currency), ...(isUpstreams && upstreamExample), ...failedExample },
      },
    },
  };
}

const headersOf: Readonly<Partial<Record<number, Parameters<typeof headers>>>> = {
  401: ['WWW-Authenticate'],
  402: ['x-should-retry'],
  409: ['x-should-retry', 'Retry-After'],
  429: ['x-should-retry', 'Retry-After'],
  502: ['Retry-After'],
  503: ['Retry-After'],
  529: ['Retry-After'],
};

const withCodes = (refused: readonly ErrorCode[]): JsonSchema => ({
  allOf: [refOf(errorAnswer), { properties: { error: { properties: { code: { enum: refused } } } } }],
});

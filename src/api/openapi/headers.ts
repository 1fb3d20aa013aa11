/** Headers that requests may have and answers bear, named once in the document's components. */
import { tagForm } from '../request-tag.ts';
import type { JsonSchema } from './schemas.ts';

const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };

const ref = (kind: 'headers' | 'parameters', name: string): JsonSchema => ({ $ref: `#/components/${kind}/${name}` });

/** `components.headers`. */
export const answerHeaders = {
  'X-Request-Id': {
    description: "The request's id: the caller's own if it is a plain one, else a new one. It finds the log line.",
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
  },
  'request-id': {
    description: "The same id where Anthropic's SDKs look for it.",
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
  },
  'X-RateLimit-Limit': {
    description: "Calls in a window of the key's tightest call limit, if it has one.",
    schema: count,
  },
  'X-RateLimit-Remaining': { description: 'Calls left in that window.', schema: count },
  'X-RateLimit-Reset': {
    description:
      'Whole seconds until that window ends; 0 for a `total` limit. Of a refusal: when another try makes sense, if that is more than a minute away.',
    schema: count,
  },
  'Retry-After': {
    description: 'Seconds to wait before a retry, at most 60.',
    schema: { ...count, maximum: 60 },
  },
  'WWW-Authenticate': { description: 'How to authenticate.', required: true, schema: { const: 'Bearer' } },
  'x-should-retry': {
    description: '`false` where sending the request again would not help; the OpenAI SDKs obey it.',
    schema: { const: 'false' },
  },
  'Idempotency-Replayed': {
    description: '`true` where the answer is that of the first call with this Idempotency-Key.',
    schema: { const: 'true' },
  },
  'X-Video-Duration': {
    description: 'The length of the video in seconds, with up to three decimals.',
    schema: { type: 'number', minimum: 0 },
  },
  'X-Tokens': {
    description: 'For usage statistics, 1 second equals 1000 tokens.',
    schema: count,
  },
  'X-Cost': {
    description: "What the video cost, in the gateway's currency, with up to six decimals.",
    schema: { type: 'number', minimum: 0 },
  },
  ETag: { description: 'Names the bytes of the answer.', required: true, schema: text },
  Location: { description: 'Where the file is.', required: true, schema: { type: 'string', format: 'uri' } },
  'Cache-Control': { description: 'How long the answer may be kept, and by whom.', required: true, schema: text },
  Link: { description: 'Of a page of CSV, where the next one is (`rel="next"`).', schema: text },
} as const satisfies Record<string, JsonSchema>;

/** References to headers by their names. */
export const headers = (...names: (keyof typeof answerHeaders)[]): Record<string, JsonSchema> =>
  Object.fromEntries(names.map((name) => [name, ref('headers', name)]));

/** `components.parameters`. */
export const requestHeaders = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes the call safe to send again: kept for 24 hours for the account, the same key and body give the same task or the same answer, and never a second charge.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  'anthropic-version': {
    name: 'anthropic-version',
    in: 'header',
    description: "The version of Anthropic's API, passed on to the provider; `2023-06-01` if it is absent.",
    schema: text,
    example: '2023-06-01',
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description:
      "`wait=N` sets how many seconds this call waits for its task before it answers 202; more than 300 counts as 300, and what can't be read is ignored (RFC 7240).",
    schema: text,
    example: 'wait=10',
  },
  Expect: {
    name: 'Expect',
    in: 'header',
    description:
      '`100-continue` is answered only after the key and the headers were checked, so that a bad key costs no upload. Anything else is ignored.',
    schema: text,
  },
  'X-Request-Id': {
    name: 'X-Request-Id',
    in: 'header',
    description: 'An id of your own for the request, of 1 to 128 letters, digits and `. _ -`; any other is ignored.',
    schema: text,
  },
  'X-Tollgate-Tag': {
    name: 'X-Tollgate-Tag',
    in: 'header',
    description:
      'What the request is filed under, such as a team or a feature: usage and cost can be seen by it. A request has one tag.',
    schema: { type: 'string', pattern: tagForm.source },
    example: 'search',
  },
} as const satisfies Record<string, JsonSchema>;

/** The reference to a request header. */
export const requestHeader = (name: keyof typeof requestHeaders): JsonSchema => ref('parameters', name);

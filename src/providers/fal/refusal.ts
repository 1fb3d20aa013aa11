/**
 * fal's errors, of two forms: those of models are a list, `{detail: [{loc, msg, type}]}`, and those of the platform a
 * sentence, `{detail, error_type}` (https://fal.ai/docs/documentation/model-apis/errors and …/request-errors).
 */
import { z } from 'zod';
import type { Job } from '../contract.ts';
import type { Refusal, WireAnswer } from '../http/wire.ts';
import { callersNameOf } from './input.ts';

/** What an error says; undefined leaves it to the status. */
export function refusalOf(answer: WireAnswer, job: Job): Refusal | undefined {
  const { status } = answer;
  const errors = modelErrorsOf(answer);
  const isInput = status === 400 || status === 422;
  if (errors.some(({ type }) => type === 'content_policy_violation') || (isInput && saysPolicy(answer)))
    return { code: 'content_policy_violation', fallOver: false };
  const [first] = errors;
  if (first !== undefined) return ofModel(first, job);
  if (status < 500) return undefined;
  const type = errorTypeOf(answer) ?? (status === 504 ? 'timeout' : '');
  return { code: type.includes('timeout') ? 'upstream_timeout' : 'upstream_error', fallOver: true };
}

/** Whether it is an error in one of fal's forms, and not that of something in between. */
export const isOfFal = (answer: WireAnswer): boolean =>
  errorTypeOf(answer) !== undefined ||
  z.object({ detail: z.unknown() }).safeParse(answer.json).data?.detail !== undefined;

/** The errors of a model, which are about the job itself; empty for those of the platform. */
export const modelErrorsOf = ({ json }: WireAnswer): z.output<typeof modelError>[] =>
  z.object({ detail: z.array(modelError) }).safeParse(json).data?.detail ?? [];

const modelError = z.object({
  loc: z.array(z.unknown()).catch([]),
  msg: z.string().catch(''),
  type: z.string().catch(''),
});

/** `request_timeout`, `runner_disconnected`, …: only of the platform's errors. */
function errorTypeOf({ json, headers }: WireAnswer): string | undefined {
  const inBody = z.object({ error_type: z.string() }).safeParse(json).data?.error_type;
  const inHeader = headers['x-fal-error-type'];
  return inBody ?? (typeof inHeader === 'string' ? inHeader : undefined);
}

function ofModel({ type, loc }: z.output<typeof modelError>, job: Job): Refusal {
  if (type === 'generation_timeout') return { code: 'upstream_timeout', fallOver: true };
  if (failures.includes(type)) return { code: 'upstream_error', fallOver: true };
  const field = loc.filter((place) => place !== 'body')[0];
  if (typeof field !== 'string') return { code: 'invalid_parameter', fallOver: false };
  const param = callersNameOf(job, field);
  // A field that the caller has no part in is the operator's to fix, in the route's options or fields.
  if (param === undefined || type === 'extra_forbidden') return { code: 'upstream_error', fallOver: true };
  return { code: 'invalid_parameter', param, fallOver: false };
}

/** Types of errors that are no fault of the input. */
const failures = [
  'internal_server_error',
  'downstream_service_error',
  'downstream_service_unavailable',
  'no_media_generated',
];

/** Not every model gives its errors types yet. The input, which errors echo, is not read. */
function saysPolicy(answer: WireAnswer): boolean {
  const sentence = z.object({ detail: z.string() }).safeParse(answer.json).data?.detail ?? '';
  const texts = [sentence, ...modelErrorsOf(answer).map(({ msg }) => msg)];
  return texts.some((text) => /content[ _](policy|checker)|nsfw|moderat|flagged/i.test(text));
}

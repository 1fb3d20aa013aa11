/**
 * The wire format of Volcengine Visual (the "CV" API): two signed calls, one that submits a task and one that asks how
 * it is, both a POST to one address. Of what was looked up, the forms rest on the official pages of Jimeng image 4.0 and
 * 4.6 (https://www.volcengine.com/docs/85621/1817045, …/2275082), of OmniHuman 1.5 (…/1829013) and of lip-sync
 * (https://www.volcengine.com/docs/6791/1156403).
 *
 * All of these pages fix the region to cn-north-1. The cn-beijing that some clients sign lip-sync with belongs to other
 * actions (RealmanChangeLipsSubmitTask of version 2024-06-06), which are not used here.
 */
import { z } from 'zod';
import type { ProviderSettings } from '../../domain/catalogue.ts';
import type { Job } from '../contract.ts';
import { secretOf } from '../definition.ts';
import { withOptions } from '../route-image-outputs.ts';
import type { Created, Polled, Refusal, TaskWire, WireAnswer, WireCall } from '../http/wire.ts';
import { createBodyOf, reqKeyOf } from './body.ts';
import { isInternal, isPassingCode, refusalOfCode, successCode } from './codes.ts';
import { filesIn } from './files.ts';
import { signingHeaders } from './signature.ts';

const baseUrlDefault = 'https://visual.volcengineapi.com';
const version = '2022-08-31';
const scope = { region: 'cn-north-1', service: 'cv' };

/** The wire format of a provider; `now` is what the signatures are dated with. */
export function volcVisualWire(settings: ProviderSettings, now: () => Date = () => new Date()): TaskWire {
  const { baseUrl = baseUrlDefault } = settings;
  const credentials = { accessKey: secretOf(settings, 'access_key'), secretKey: secretOf(settings, 'secret_key') };
  const call = (action: string, fields: unknown): WireCall => {
    const url = `${baseUrl}/?Action=${action}&Version=${version}`;
    const body = JSON.stringify(fields);
    const signing = signingHeaders(
      { method: 'POST', url, body, contentType: 'application/json' },
      ...([credentials, scope, now()] as const),
    );
    return { method: 'POST', url, headers: { ...settings.headers, ...signing }, body };
  };
  const query = (taskId: string, job: Job): WireCall =>
    call(actionsOf(job).query, {
      ...{ req_key: reqKeyOf(job), task_id: taskId },
      // Without it, images come as base64.
      ...(job.kind === 'image' && { req_json: '{"return_url":true}' }),
    });
  return {
    imageOutputs: (route) => withOptions({ formats: [], backgrounds: ['opaque'] }, route),
    abilities: { idempotent: false, lookup: false, cancel: false, webhook: false },
    // Limits are not published, and said to be low; too many queries would be held against the creates.
    pollsPerSecondMax: 5,
    pollPauseMsMax: 5_000,
    create: (job) => call(actionsOf(job).submit, createBodyOf(job)),
    created,
    poll: query,
    polled: (answer, job, taskId) => polledOf(answer, job, () => query(taskId, job)) ?? { state: 'processing' },
    // 429 is left to the status, for the sake of its Retry-After.
    polledError: (answer, job, taskId) =>
      answer.status === 429 ? undefined : polledOf(answer, job, () => query(taskId, job)),
    isOwnError: ({ json }) => envelopeOf(json) !== undefined,
    // A task that is not there: well-formed as an id, and free.
    probe: () => call(actions.image.query, { req_key: 'jimeng_t2i_v40', task_id: '1000000000000000000' }),
    // The service's own words come after the gateway's, which checks the signature.
    isProbeExpected: ({ status, json }) => ![401, 403, 429].includes(status) && envelopeOf(json) !== undefined,
    refusal,
    requestIdOf: ({ json }) => gatewayError(json)?.requestId ?? envelopeOf(json)?.request_id,
  };
}

const actions = {
  image: { submit: 'CVSync2AsyncSubmitTask', query: 'CVSync2AsyncGetResult' },
  avatar: { submit: 'CVSubmitTask', query: 'CVGetResult' },
} as const;

/** By the kind of model, which decides it for all that are documented: images one way, avatars the other. */
const actionsOf = ({ kind }: Job) => (kind === 'image' ? actions.image : actions.avatar);

function created(answer: WireAnswer, job: Job): Created {
  const envelope = envelopeOf(answer.json);
  if (envelope?.code === successCode) {
    const taskId = envelope.data?.task_id;
    return taskId ? { outcome: 'accepted', jobId: taskId } : { outcome: 'unknown', reason: 'the answer names no task' };
  }
  const refused = refusal(answer, job);
  if (refused?.isCertain === true) return { outcome: 'refused', refusal: refused };
  return { outcome: 'unknown', reason: `the provider answered with the code ${envelope?.code ?? 'of nothing'}` };
}

/** Undefined: the answer is none of the service's, or leaves it to its status. `again` asks once more. */
function polledOf(answer: WireAnswer, job: Job, again?: () => WireCall): Polled | undefined {
  const { json, status } = answer;
  // Its key or signature may be fixed before the job's deadline.
  if (gatewayError(json) !== undefined) return status < 500 ? { state: 'processing', hasFailed: true } : undefined;
  const envelope = envelopeOf(json);
  if (envelope === undefined) return undefined;
  const { code, data } = envelope;
  if (code === successCode) return polledOfStatus(data);
  if (isPassingCode(code)) return { state: 'processing', hasFailed: true };
  // Either the task failed inside, or the query itself: believed the second time.
  if (isInternal(code) && data?.status !== 'done' && again !== undefined) {
    const read = (second: WireAnswer): Polled => polledOf(second, job) ?? { state: 'processing', hasFailed: true };
    return { state: 'ask', call: again(), read };
  }
  const known = refusal(answer, job);
  if (known !== undefined) return { state: 'failed', refusal: known };
  return status < 300 ? { state: 'failed', refusal: { code: 'upstream_error', fallOver: false } } : undefined;
}

function polledOfStatus(data: Envelope['data']): Polled {
  switch (data?.status ?? '') {
    case 'done': {
      const files = filesIn(data);
      return files.length > 0
        ? { state: 'succeeded', files }
        : { state: 'failed', refusal: failure('upstream_error', 'The provider returned no file.') };
    }
    case 'not_found':
      return { state: 'missing' };
    case 'expired': // after 12 hours
      return { state: 'failed', refusal: failure('upstream_timeout', 'The task expired at the provider.') };
    default:
      return { state: 'processing' };
  }
}

const failure = (code: Refusal['code'], message: string): Refusal => ({ code, message, fallOver: false });

function refusal({ json, status }: WireAnswer, job: Job): Refusal | undefined {
  const gateway = gatewayError(json);
  if (gateway !== undefined) {
    const message = 'The provider could not accept the task.';
    if (/FlowLimit/i.test(gateway.code)) return { code: 'upstream_rate_limited', message, fallOver: true };
    // It names keys and accounts, and is never the caller's fault. Inside errors are left to their status.
    return status >= 400 && status < 500 ? { code: 'upstream_error', message, fallOver: true } : undefined;
  }
  const envelope = envelopeOf(json);
  return envelope && refusalOfCode(envelope.code, envelope.message ?? '', job);
}

/** What the gateway in front of all of Volcengine's services says, such as of a wrong signature. */
function gatewayError(json: unknown): { code: string; requestId: string | undefined } | undefined {
  const { data } = gatewayAnswer.safeParse(json);
  return data && { code: data.ResponseMetadata.Error.Code, requestId: data.ResponseMetadata.RequestId };
}

const envelopeOf = (json: unknown): Envelope | undefined => envelope.safeParse(json).data;

const word = z.string().min(1).optional().catch(undefined);

const gatewayAnswer = z.object({
  ResponseMetadata: z.object({ RequestId: word, Error: z.object({ Code: z.string() }) }),
});

const envelope = z.object({
  code: z.union([
    z.number(),
    z
      .string()
      .regex(/^\d{1,9}$/)
      .transform(Number),
  ]),
  message: word,
  request_id: word,
  data: z
    .looseObject({
      task_id: z
        .union([z.string(), z.number().transform(String)])
        .optional()
        .catch(undefined),
      status: word,
    })
    .nullish()
    .catch(undefined),
});
type Envelope = z.output<typeof envelope>;

/** OpenAI's batches: a file of requests is uploaded, a job is made of it, and its answers are one or two files. */
import * as z from 'zod';
import { callEndpoints, type EndpointName } from '../../domain/call-endpoints.ts';
import { jsonMembers } from '../../domain/chat/json-members.ts';
import type { BatchCreated, BatchProvider, BatchResult, BatchStanding } from '../batch-contract.ts';
import { type AnswerBody, type Caller, openCaller } from '../http/bounded-call.ts';
import { formOf } from '../http/multipart-body.ts';
import type { WireAnswer, WireCall } from '../http/wire.ts';
import { createdBy, numberOf, pathWord, recordOf, requireGone, requireGood, textOfError } from '../http/batch-calls.ts';

export const openAiBatchEndpoints = [
  'chat',
  'responses',
  'embeddings',
  'completions',
  'moderations',
] as const satisfies readonly EndpointName[];

/** A week: a job takes a day, and what is left of an upload whose job was never made goes by itself. */
const inputKeptSeconds = 604_800;
/** Of one list; a job that was just made is among the first. */
const listedMax = 100;
const pagesMax = 20;
/** Clocks differ. */
const skewMs = 600_000;
const callMs = 60_000;

const jobSchema = z.object({
  id: z.string().min(1),
  status: z.string(),
  created_at: z.number().optional(),
  output_file_id: z.string().nullish(),
  error_file_id: z.string().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  errors: z.unknown().optional(),
  request_counts: z
    .object({ completed: z.int().nonnegative(), failed: z.int().nonnegative() })
    .optional()
    .catch(undefined),
});
type Job = z.output<typeof jobSchema>;
const listSchema = z.object({ data: z.array(jobSchema), has_more: z.boolean().catch(false) });
const idSchema = z.object({ id: z.string().min(1) });

export interface OpenAiBatchSettings {
  baseUrl: string;
  /** Those of every call, names and values in turn. */
  headers: readonly string[];
  endpoints: readonly EndpointName[];
  timeoutMs: number;
  idleTimeoutMs: number;
}

/** The batch API below a base URL. */
export function openAiBatches(settings: OpenAiBatchSettings): BatchProvider {
  const base = settings.baseUrl.replace(/\/+$/, '');
  const headers = recordOf(settings.headers);
  const caller: Caller = openCaller({
    timeoutMs: Math.max(settings.timeoutMs, callMs),
    idleTimeoutMs: settings.idleTimeoutMs,
  });
  const get = (path: string): WireCall => ({ method: 'GET', url: `${base}/${path}`, headers });
  const ask = async (call: WireCall): Promise<unknown> =>
    requireGood(await caller.call(call, AbortSignal.timeout(callMs))).json;

  return {
    endpoints: openAiBatchEndpoints
      .filter((name) => settings.endpoints.includes(name))
      .map((name) => callEndpoints[name]),
    frameOf: (endpoint) => ({
      start: '',
      around: (n) => [`{"custom_id":"${n}","method":"POST","url":"/v1/${endpoint}","body":`, '}\n'],
      end: '',
    }),
    async upload(requests, signal) {
      const file = { mediaType: 'application/jsonl', bytes: requests.bytes, read: () => requests.read() };
      const fields = [
        ['purpose', 'batch'],
        ['expires_after[anchor]', 'created_at'],
        ['expires_after[seconds]', String(inputKeptSeconds)],
      ] as const;
      const body = {
        ...formOf(fields, [{ name: 'file', fileName: 'batch.jsonl', file }]),
        close: () => requests.close(),
      };
      const answer = await caller.pay({ method: 'POST', url: `${base}/files`, headers, body }, signal);
      if (isRefused(answer.status)) return { refused: textOfError(answer) };
      return { inputFile: idSchema.parse(requireGood(answer).json).id };
    },
    create: ({ batchId, endpoint, inputFile }, signal): Promise<BatchCreated> =>
      createdBy(async () => {
        const job = {
          input_file_id: inputFile,
          endpoint: `/v1/${endpoint}`,
          completion_window: '24h',
          metadata: { tollgate_batch: batchId },
        };
        return caller.pay({ method: 'POST', url: `${base}/batches`, headers, body: JSON.stringify(job) }, signal);
      }),
    async find(batchId, openedAt) {
      let after = '';
      for (let page = 0; page < pagesMax; page++) {
        const { data, has_more: hasMore } = listSchema.parse(await ask(get(`batches?limit=${listedMax}${after}`)));
        const found = data.find(({ metadata }) => metadata?.['tollgate_batch'] === batchId);
        if (found) return found.id;
        const last = data.at(-1);
        if (!last || !hasMore || isBefore(last, openedAt)) return undefined;
        after = `&after=${encodeURIComponent(last.id)}`;
      }
      throw new Error('the list of jobs is too long to look one up');
    },
    poll: async (jobId) => standingOf(jobSchema.parse(await ask(get(`batches/${pathWord(jobId)}`)))),
    async cancel(jobId) {
      const call: WireCall = { method: 'POST', url: `${base}/batches/${pathWord(jobId)}/cancel`, headers };
      await caller.call(call, AbortSignal.timeout(callMs));
    },
    results: async (name, signal) => bodyOf(await caller.payForBody(get(`files/${pathWord(name)}/content`), signal)),
    resultOf,
    async forget({ inputFile, results }) {
      for (const name of [...(inputFile === null ? [] : [inputFile]), ...results]) {
        const call: WireCall = { method: 'DELETE', url: `${base}/files/${pathWord(name)}`, headers };
        requireGone(await caller.call(call, AbortSignal.timeout(callMs)));
      }
    },
    close: () => caller.close(),
  };
}

const isRefused = (status: number): boolean => status >= 400 && status < 500 && ![408, 409, 429].includes(status);
const isBefore = ({ created_at: at }: Job, openedAt: Date): boolean =>
  at !== undefined && at * 1000 < openedAt.getTime() - skewMs;

function standingOf(job: Job): BatchStanding {
  const { status, output_file_id: output, error_file_id: errors, errors: mistakes, request_counts: done } = job;
  if (status === 'failed') return { state: 'failed', reason: JSON.stringify(mistakes ?? null).slice(0, 1000) };
  if (status !== 'completed' && status !== 'expired' && status !== 'cancelled')
    return { state: 'running', ...(done && { done }) };
  return { state: 'ended', endedAs: status, results: [output, errors].filter((name) => typeof name === 'string') };
}

function bodyOf(answer: WireAnswer | AnswerBody): AsyncIterable<Uint8Array> {
  if ('body' in answer) return answer.body;
  throw new Error(`the provider answered ${answer.status} for a file of results`);
}

const statusSchema = z.int().min(100).max(599);

/** The body is passed on as its bytes, so that numbers stay as they were written. */
function resultOf(line: Buffer): BatchResult | undefined {
  const members = memberOf(line);
  const n = numberOf(members.text('custom_id'));
  if (n === undefined) return undefined;
  const response = members.bytes('response');
  if (response?.[0] !== openBrace) return { n, became: 'unrun' };
  const answer = memberOf(response);
  const status = statusSchema.safeParse(JSON.parse(answer.text('status_code') ?? 'null')).data;
  const body = answer.bytes('body');
  if (status === undefined || !body) return { n, became: 'unrun' };
  if (status >= 200 && status < 300) return { n, became: 'answered', body };
  return { n, became: 'refused', status, body };
}

const openBrace = 0x7b;
const names = ['custom_id', 'response', 'status_code', 'body'];

function memberOf(bytes: Buffer) {
  const { found } = jsonMembers(bytes, names);
  const value = (name: string) => {
    const member = found.findLast((one) => one.name === name);
    return member && bytes.subarray(member.start, member.end);
  };
  return { bytes: value, text: (name: string) => value(name)?.toString('utf8') };
}

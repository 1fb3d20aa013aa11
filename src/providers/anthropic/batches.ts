/** Anthropic's batches of messages: the requests are the body of the paid create, and the answers one stream of lines. */
import * as z from 'zod';
import { callEndpoints, messagesVersion } from '../../domain/call-endpoints.ts';
import { jsonMembers } from '../../domain/chat/json-members.ts';
import type { BatchProvider, BatchResult, BatchStanding } from '../batch-contract.ts';
import { createdBy, numberOf, pathWord, recordOf, requireGone, requireGood } from '../http/batch-calls.ts';
import { openCaller } from '../http/bounded-call.ts';
import type { WireCall } from '../http/wire.ts';

const callMs = 60_000;

const count = z.int().nonnegative().catch(0);
const jobSchema = z.object({
  id: z.string().min(1),
  processing_status: z.string(),
  cancel_initiated_at: z.string().nullish(),
  request_counts: z
    .object({ expired: count, succeeded: count, errored: count })
    .catch({ expired: 0, succeeded: 0, errored: 0 }),
});

export interface AnthropicBatchSettings {
  baseUrl: string;
  /** Those of every call, names and values in turn. */
  headers: readonly string[];
  timeoutMs: number;
  idleTimeoutMs: number;
}

/** The batch API below a base URL. A job carries nothing by which a lost create could be looked up. */
export function anthropicBatches(settings: AnthropicBatchSettings): BatchProvider {
  const base = `${settings.baseUrl.replace(/\/+$/, '')}/messages/batches`;
  const headers = { ...recordOf(settings.headers), 'anthropic-version': messagesVersion };
  const caller = openCaller({ timeoutMs: Math.max(settings.timeoutMs, callMs), idleTimeoutMs: settings.idleTimeoutMs });
  const get = (path: string): WireCall => ({ method: 'GET', url: `${base}/${path}`, headers });

  return {
    endpoints: [callEndpoints.messages],
    frameOf: () => ({
      start: '{"requests":[',
      around: (n, isFirst) => [`${isFirst ? '' : ','}{"custom_id":"${n}","params":`, '}'],
      end: ']}',
    }),
    create: ({ requests }, signal) =>
      createdBy(() => caller.pay({ method: 'POST', url: base, headers, body: requests }, signal)),
    poll: async (jobId) => {
      const answer = await caller.call(get(pathWord(jobId)), AbortSignal.timeout(callMs));
      return standingOf(jobSchema.parse(requireGood(answer).json));
    },
    async cancel(jobId) {
      const call: WireCall = { method: 'POST', url: `${base}/${pathWord(jobId)}/cancel`, headers };
      await caller.call(call, AbortSignal.timeout(callMs));
    },
    // The address that the job names is this one; an answer that leads elsewhere would be sent the key.
    async results(jobId, signal) {
      const answer = await caller.payForBody(get(`${pathWord(jobId)}/results`), signal);
      if ('body' in answer) return answer.body;
      throw new Error(`the provider answered ${answer.status} for its results`);
    },
    resultOf,
    async forget({ jobId }) {
      const call: WireCall = { method: 'DELETE', url: `${base}/${pathWord(jobId)}`, headers };
      requireGone(await caller.call(call, AbortSignal.timeout(callMs)));
    },
    close: () => caller.close(),
  };
}

function standingOf({
  id,
  processing_status: status,
  cancel_initiated_at: cancelled,
  request_counts: counts,
}: z.output<typeof jobSchema>): BatchStanding {
  if (status !== 'ended') return { state: 'running', done: { completed: counts.succeeded, failed: counts.errored } };
  const endedAs = typeof cancelled === 'string' ? 'cancelled' : counts.expired > 0 ? 'expired' : 'completed';
  return { state: 'ended', endedAs, results: [id] };
}

/** What Anthropic answers a single call of such an error with, of those that are about what the caller sent. */
const statuses: Readonly<Record<string, number>> = { invalid_request_error: 400, request_too_large: 413 };
const errorSchema = z.object({ type: z.string().optional(), error: z.object({ type: z.string() }).optional() });

/** The message is passed on as its bytes, so that numbers stay as they were written. */
function resultOf(line: Buffer): BatchResult | undefined {
  const n = numberOf(member(line, 'custom_id')?.toString('utf8'));
  const result = member(line, 'result');
  if (n === undefined || !result) return undefined;
  const type = member(result, 'type')?.toString('utf8');
  const message = member(result, 'message');
  if (type === '"succeeded"' && message) return { n, became: 'answered', body: message };
  const error = member(result, 'error');
  if (type !== '"errored"' || !error) return { n, became: 'unrun' };
  const said = errorSchema.safeParse(JSON.parse(error.toString('utf8'))).data;
  const status = statuses[said?.error?.type ?? said?.type ?? ''];
  return status === undefined ? { n, became: 'unrun' } : { n, became: 'refused', status, body: error };
}

function member(bytes: Buffer, name: string): Buffer | undefined {
  const found = jsonMembers(bytes, [name]).found.at(-1);
  return found && bytes.subarray(found.start, found.end);
}

/** A stand-in for the batch APIs of OpenAI and of Anthropic, as their documentation has them, over real sockets. */
import {
  type Answer,
  chatAnswer,
  errorAnswer,
  messagesAnswer,
  openUpstream,
  type SeenRequest,
  type Upstream,
} from './upstream.ts';

export interface VendorRequest {
  custom_id: string;
  url?: string;
  /** `body` of OpenAI, `params` of Anthropic. */
  body: Record<string, unknown>;
}

/** What becomes of a request: a status with its body, or why it was not carried out. */
export type VendorOutcome = { status: number; body: unknown } | 'expired' | 'cancelled';

interface Job {
  id: string;
  kind: 'openai' | 'anthropic';
  requests: VendorRequest[];
  metadata: Record<string, unknown>;
  status: string;
  isCancelAsked: boolean;
  /** Of OpenAI. */
  errors?: unknown;
  results: Map<string, VendorOutcome>;
}

export interface BatchVendor {
  upstream: Upstream;
  jobs: Job[];
  /** Files that were uploaded. */
  uploads: { id: string; text: string; head: string }[];
  /** Calls that were no batch: lines that were run alone. */
  alone: SeenRequest[];
  /** What the next create is answered with: as documented where it is undefined. */
  create: 'lost' | 'never-came' | Answer | undefined;
  /** After so many lines of results the connection breaks, once. */
  breakAfter: number | undefined;
  /** What a job that is under way says it has done. */
  done: { completed: number; failed: number };
  /** What was deleted, files and jobs. */
  deleted: string[];
  outcomeOf: (request: VendorRequest) => VendorOutcome;
  /** Ends the last job. */
  finish(status?: 'completed' | 'expired' | 'cancelled'): void;
  /** The last job. */
  job(): Job;
  reset(): void;
}

const good = (kind: Job['kind']): VendorOutcome => ({
  status: 200,
  body: (kind === 'openai' ? chatAnswer('Hello!') : messagesAnswer('Hello!')).json,
});

const fresh = () => ({
  ...{ jobs: [], uploads: [], alone: [], create: undefined, breakAfter: undefined, deleted: [] },
  done: { completed: 0, failed: 0 },
});

export async function openBatchVendor(): Promise<{ vendor: BatchVendor; close: () => Promise<void> }> {
  const { upstream, close } = await openUpstream();
  let made = 0;
  const vendor: BatchVendor = {
    upstream,
    ...fresh(),
    outcomeOf: () => good(vendor.job().kind),
    finish(status = 'completed') {
      const job = vendor.job();
      job.status = status;
      for (const request of job.requests) job.results.set(request.custom_id, vendor.outcomeOf(request));
    },
    job() {
      const job = vendor.jobs.at(-1);
      if (!job) throw new Error('there is no job');
      return job;
    },
    reset() {
      Object.assign(vendor, fresh());
      vendor.outcomeOf = () => good(vendor.job().kind);
    },
  };
  upstream.answers((seen) => answer(seen));
  return { vendor, close };

  function answer(seen: SeenRequest): Answer {
    const [path = '', query = ''] = seen.path.split('?');
    if (seen.method === 'POST' && path === '/v1/files') return upload(seen);
    if (seen.method === 'POST' && path === '/v1/batches') return openAiCreate(seen);
    if (seen.method === 'GET' && path === '/v1/batches') {
      const after = new URLSearchParams(query).get('after');
      const newest = vendor.jobs.toReversed();
      const from = after === null ? 0 : newest.findIndex(({ id }) => id === after) + 1;
      const page = newest.slice(from, from + 2);
      return {
        json: {
          object: 'list',
          data: page.map((job) => openAiJob(job, vendor.done)),
          has_more: newest.length > from + 2,
        },
      };
    }
    if (seen.method === 'POST' && path === '/v1/messages/batches') return anthropicCreate(seen);
    const [, id = '', rest = ''] = /^\/v1\/(?:messages\/)?(?:batches|files)\/([^/]+)\/?(.*)$/.exec(path) ?? [];
    if (seen.method === 'DELETE') {
      vendor.deleted.push(id);
      return { json: { id, deleted: true } };
    }
    const job = vendor.jobs.find((one) => id === one.id || id === `output-${one.id}` || id === `errors-${one.id}`);
    if (!job) {
      if (seen.method === 'POST') vendor.alone.push(seen); // others are probes
      return path.endsWith('/messages') ? messagesAnswer('Alone') : chatAnswer('Alone');
    }
    if (rest === 'cancel') {
      job.isCancelAsked = true;
      return { json: shown(job, vendor.done) };
    }
    if (rest === 'content') return lines(job, id.startsWith('output-'));
    if (rest === 'results') return lines(job);
    return { json: shown(job, vendor.done) };
  }

  function upload(seen: SeenRequest): Answer {
    const text = seen.body.toString();
    const at = text.indexOf('{"custom_id');
    const [head, file] = [text.slice(0, at), text.slice(at)];
    const id = `file-in${++made}`;
    vendor.uploads.push({ id, head, text: file.slice(0, file.lastIndexOf('\n\r\n--') + 1) });
    return { json: { id, object: 'file', purpose: 'batch' } };
  }

  function openAiCreate(seen: SeenRequest): Answer {
    const asked = seen.json() as { input_file_id: string; metadata: Record<string, unknown> };
    const file = vendor.uploads.find(({ id }) => id === asked.input_file_id);
    const requests = (file?.text ?? '')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as VendorRequest);
    return created({ kind: 'openai', requests, metadata: asked.metadata });
  }

  function anthropicCreate(seen: SeenRequest): Answer {
    const asked = seen.json() as { requests: { custom_id: string; params: Record<string, unknown> }[] };
    const requests = asked.requests.map(({ custom_id, params }) => ({ custom_id, body: params }));
    return created({ kind: 'anthropic', requests, metadata: {} });
  }

  function created(facts: Pick<Job, 'kind' | 'requests' | 'metadata'>): Answer {
    const { create } = vendor;
    vendor.create = undefined;
    if (typeof create === 'object') return create;
    if (create !== 'never-came') {
      const id = `${facts.kind === 'openai' ? 'batch_v' : 'msgbatch_'}${++made}`;
      vendor.jobs.push({ id, ...facts, status: 'in_progress', isCancelAsked: false, results: new Map() });
    }
    return create === undefined ? { json: shown(vendor.job(), vendor.done) } : { ending: 'break-before' };
  }

  function lines(job: Job, isOutput?: boolean): Answer {
    const texts = [...job.results]
      .filter(([, outcome]) => isOutput === undefined || isOutput === isGood(outcome))
      .toReversed() // in no order
      .map(
        ([id, outcome]) =>
          `${JSON.stringify(job.kind === 'openai' ? openAiLine(id, outcome) : anthropicLine(id, outcome))}\n`,
      );
    const { breakAfter } = vendor;
    vendor.breakAfter = undefined;
    return breakAfter === undefined
      ? { pieces: [texts.join('')] }
      : { pieces: [texts.slice(0, breakAfter).join('')], ending: 'break' };
  }
}

const isGood = (outcome: VendorOutcome): boolean => typeof outcome === 'object' && outcome.status === 200;
type Done = BatchVendor['done'];
const shown = (job: Job, done: Done) => (job.kind === 'openai' ? openAiJob(job, done) : anthropicJob(job, done));

function openAiJob({ id, status, metadata, errors, requests, results }: Job, done: Done) {
  const outcomes = [...results.values()];
  return {
    ...{ id, object: 'batch', status, metadata, errors: errors ?? null, created_at: Math.floor(Date.now() / 1000) },
    request_counts: { total: requests.length, ...done },
    output_file_id: outcomes.some(isGood) ? `output-${id}` : null,
    error_file_id: outcomes.some((outcome) => !isGood(outcome)) ? `errors-${id}` : null,
  };
}

function openAiLine(custom_id: string, outcome: VendorOutcome) {
  const id = `batch_req_${custom_id}`;
  if (typeof outcome === 'string')
    return { id, custom_id, response: null, error: { code: `batch_${outcome}`, message: 'It was not run.' } };
  return { id, custom_id, response: { status_code: outcome.status, request_id: 'r', body: outcome.body }, error: null };
}

function anthropicJob({ id, status, isCancelAsked, results }: Job, done: Done) {
  const expired = [...results.values()].filter((outcome) => outcome === 'expired').length;
  return {
    ...{ id, type: 'message_batch', processing_status: status === 'in_progress' ? 'in_progress' : 'ended' },
    request_counts: { processing: 0, succeeded: done.completed, errored: done.failed, canceled: 0, expired },
    cancel_initiated_at: isCancelAsked ? '2026-01-01T00:00:00Z' : null,
    results_url: 'http://elsewhere.test/results',
  };
}

function anthropicLine(custom_id: string, outcome: VendorOutcome) {
  if (outcome === 'expired') return { custom_id, result: { type: 'expired' } };
  if (outcome === 'cancelled') return { custom_id, result: { type: 'canceled' } };
  if (outcome.status === 200) return { custom_id, result: { type: 'succeeded', message: outcome.body } };
  return { custom_id, result: { type: 'errored', error: outcome.body } };
}

/** A line that OpenAI refuses for what it says. */
export const openAiRefusal = (message: string): VendorOutcome => ({
  status: 400,
  body: errorAnswer(400, message, { code: 'bad_prompt' }).json,
});
/** The same of Anthropic. */
export const anthropicRefusal = (message: string): VendorOutcome => ({
  status: 400,
  body: { type: 'error', error: { type: 'invalid_request_error', message } },
});

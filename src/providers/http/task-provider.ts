/** A task provider from its wire format: each step is one bounded call, and what its answer means. */
import { Readable } from 'node:stream';
import type { ProviderSettings } from '../../domain/catalogue.ts';
import { errorTable, GatewayError } from '../../domain/errors.ts';
import { isKeepable, keepable } from '../../domain/text.ts';
import { cleanUpstreamMessage, upstreamError } from '../../net/upstream-error.ts';
import type {
  Job,
  Poll,
  PreparedCreate,
  Refused,
  ResultPart,
  StoredAnswer,
  Submission,
  TaskProvider,
} from '../contract.ts';
import type { ProviderTools } from '../definition.ts';
import { NotSent, openCaller } from './bounded-call.ts';
import { retryAfterMs } from './retry-after.ts';
import { createPacer } from './pacer.ts';
import { isAmbiguous, isPassing, refusalOfStatus } from './status-errors.ts';
import type { Created, Polled, Refusal, TaskWire, WireAnswer, WireCall, WireFile, WireUpload } from './wire.ts';

const requestIdCharactersMax = 200;
const jobIdCharactersMax = 1_000;
/** A list is searched no further back than this; what is looked for was created minutes ago. */
const findPagesMax = 20;
/** A result that is behind several calls. */
const asksMax = 3;

/**
 * A provider of this wire format. `resultOf` reads answers that are the result themselves.
 * Timeouts: `timeoutMs` to the first byte (`imageTimeoutMs` where that is the image), `idleTimeoutMs` between bytes.
 */
export function createHttpTaskProvider(
  wire: TaskWire,
  settings: ProviderSettings,
  tools: Pick<ProviderTools, 'fetchResult'>,
  resultOf?: (answer: StoredAnswer, job: Job) => Promise<Poll>,
): TaskProvider {
  const { timeoutMs, imageTimeoutMs = timeoutMs, idleTimeoutMs } = settings;
  const caller = openCaller({ timeoutMs, idleTimeoutMs });
  const imageCaller = openCaller({ timeoutMs: imageTimeoutMs, idleTimeoutMs });
  const polls = createPacer(settings.maxPollsPerSecond ?? wire.pollsPerSecondMax);
  const pollPauseMsMax = settings.pollIntervalMs ?? wire.pollPauseMsMax;
  const { cancel, isCancellable, find, jobIdOf, imageOutputs, inputs } = wire;
  return {
    abilities: wire.abilities,
    ...(pollPauseMsMax !== undefined && { pollPauseMsMax }),
    submit,
    ...(wire.createWithFiles && { prepare }),
    poll,
    ...(wire.answersWithResult && { answersWithResult: (job: Job) => wire.answersWithResult?.(job) === true }),
    ...(resultOf && { resultOf }),
    ...(cancel && {
      cancel: async (jobId: string, job: Job, signal: AbortSignal) => {
        if (isCancellable) {
          const answer = withoutFailure(await caller.call(wire.poll(jobId, job), signal));
          if (!isGood(answer)) return true;
          if (!isCancellable(answer)) return wire.polled(answer, job, jobId).state !== 'processing';
        }
        withoutFailure(await caller.call(cancel(jobId, job), signal)); // any other refusal: too late, or done before
        return true;
      },
    }),
    ...(find && { find: (job: Job, signal: AbortSignal) => search(find, job, signal) }),
    ...(jobIdOf && { jobIdOf }),
    ...(imageOutputs && { imageOutputs }),
    ...(inputs && { inputs }),
    probe: async (signal) => {
      const answer = await caller.call(wire.probe(), signal);
      const { status } = answer;
      if (status >= 500) throw new Error(`the provider answered ${status}`);
      return { status, isExpected: wire.isProbeExpected?.(answer) ?? false };
    },
    close: async () => {
      await Promise.all([caller.close(), imageCaller.close()]);
    },
  };

  /** With what goes with the call fetched; undefined for a job without files. */
  async function prepare(job: Job, signal: AbortSignal): Promise<PreparedCreate | Refused | undefined> {
    const call = await ready(() => wire.createWithFiles?.(job, signal));
    if (call === undefined || 'outcome' in call) return call;
    return { send: (stop) => send(call, job, stop), discard: () => call.body.close().catch(ignored) };
  }

  async function submit(job: Job, signal: AbortSignal): Promise<Submission> {
    const prepared = await prepare(job, signal);
    if (prepared && 'outcome' in prepared) return prepared;
    if (prepared) {
      try {
        return await prepared.send(signal);
      } finally {
        await prepared.discard();
      }
    }
    const call = await ready(() => wire.create(job));
    return 'outcome' in call ? call : send(call, job, signal);
  }

  async function ready<Call>(make: () => Call | Promise<Call>): Promise<Call | Refused> {
    try {
      return await make();
    } catch (error) {
      // What is no mistake of the caller's may be possible elsewhere.
      if (error instanceof GatewayError)
        return { outcome: 'refused', error, fallOver: errorTable[error.code].status >= 500 };
      const what = 'The task could not be prepared for the provider.';
      return { outcome: 'refused', error: new GatewayError('upstream_error', what, { cause: error }), fallOver: true };
    }
  }

  async function send(call: WireCall | WireUpload, job: Job, signal: AbortSignal): Promise<Submission> {
    const lost = (error: GatewayError) => (wire.answersWithResult?.(job) === true ? { error } : {});
    try {
      if (wire.answersWithResult?.(job) !== true) return submission(await caller.pay(call, signal), job);
      const answer = await imageCaller.payForBody(call, signal);
      if (!('body' in answer)) {
        const submitted = submission(answer, job);
        return submitted.outcome === 'unknown' ? { ...submitted, ...lost(failedWith(answer.status)) } : submitted;
      }
      return { outcome: 'finished', answer: answer.body, ...requestIdOf(answer.headers) };
    } catch (error) {
      if (!(error instanceof NotSent)) {
        const reason = error instanceof Error ? error.message : 'no answer';
        return { outcome: 'unknown', reason, ...lost(brokeOff(error, signal)) };
      }
      const refusal = new GatewayError('upstream_error', 'The provider could not be reached.', { cause: error });
      return { outcome: 'refused', error: refusal, fallOver: true };
    }
  }

  function submission(answer: WireAnswer, job: Job): Submission {
    const created = isGood(answer) ? wire.created(answer, job) : createdOfError(answer, job);
    const submitted: Submission =
      created.outcome === 'refused'
        ? {
            outcome: 'refused',
            error: refusalError(settings, created.refusal, answer),
            fallOver: created.refusal.fallOver,
          }
        : created;
    const isOdd = submitted.outcome === 'accepted' && !isKeepableId(submitted.jobId);
    const said: Submission = isOdd ? { outcome: 'unknown', reason: 'the job was given an odd id' } : submitted;
    return { ...said, ...requestIdOf(answer.headers, wire.requestIdOf?.(answer)) };
  }

  function createdOfError(answer: WireAnswer, job: Job): Created {
    const { status } = answer;
    const submitted = wire.createdOfError?.(answer);
    if (submitted !== undefined) return submitted;
    const refusal = wire.refusal?.(answer, job);
    if (!(refusal?.isCertain ?? !isAmbiguous(status))) {
      return { outcome: 'unknown', reason: `the provider answered ${status}` };
    }
    return { outcome: 'refused', refusal: refusal ?? refusalOfStatus(status) };
  }

  async function poll(jobId: string, job: Job, signal: AbortSignal): Promise<Poll> {
    await polls.turn(signal);
    let answer = await caller.call(wire.poll(jobId, job), bounded(signal));
    let polled = isGood(answer)
      ? wire.polled(answer, job, jobId)
      : ((isRedirect(answer.status) ? undefined : wire.polledError?.(answer, job, jobId)) ??
        polledOfError(answer, job));
    for (let asks = 0; polled.state === 'ask'; asks++) {
      if (asks === asksMax) throw new Error('the provider sends on and on');
      answer = await caller.call(polled.call, bounded(signal));
      const hasFailed = isPassing(answer.status) && answer.json === undefined;
      polled = (hasFailed ? undefined : polled.read(answer)) ?? polledOfError(answer, job);
    }
    if (polled.state === 'failed') return { state: 'failed', error: refusalError(settings, polled.refusal, answer) };
    if (polled.state === 'succeeded') return { state: 'succeeded', parts: polled.files.map(partOf) };
    return polled;
  }

  function polledOfError(answer: WireAnswer, job: Job): Exclude<Polled, { state: 'ask' }> {
    const { status, headers } = answer;
    const wait = retryAfterMs(headers, Date.now());
    const again = { state: 'processing', hasFailed: true, ...(wait !== undefined && { retryAfterMs: wait }) } as const;
    // A key that was revoked or an account without money may be fixed before the job's deadline.
    if (isFixable(status) || isRedirect(status) || wire.isOwnError?.(answer) !== true) return again;
    if (status === 404 || status === 410) return { state: 'missing' };
    return { state: 'failed', refusal: wire.refusal?.(answer, job) ?? refusalOfStatus(status) };
  }

  async function search(
    { first, found }: NonNullable<TaskWire['find']>,
    job: Job,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    let call = first(job);
    if (call === undefined) return undefined;
    for (let pages = 0; pages < findPagesMax; pages++) {
      await polls.turn(signal);
      const answer = await caller.call(call, signal);
      if (!isGood(answer)) throw new Error(`the provider answered the look-up with ${answer.status}`);
      const result = found(answer, job);
      if (result === undefined) return undefined;
      if ('jobId' in result) return result.jobId;
      call = result.next;
    }
    return undefined;
  }

  function bounded(signal: AbortSignal): AbortSignal {
    return AbortSignal.any([signal, AbortSignal.timeout(timeoutMs + idleTimeoutMs)]);
  }

  function partOf(file: WireFile): ResultPart {
    if ('url' in file) return { open: (signal) => tools.fetchResult(file.url, signal) };
    return { open: () => Promise.resolve(Readable.from([Buffer.from(file.base64, 'base64')])) };
  }
}

/** Returns the error that a caller gets for a refusal, without the operator's secrets and addresses. */
export function refusalError(
  settings: Pick<ProviderSettings, 'secrets' | 'headers'>,
  { code, message, param }: Refusal,
  answer: WireAnswer,
): GatewayError {
  const secrets = [...Object.values(settings.secrets), ...Object.values(settings.headers)];
  const said = message ?? upstreamError(Buffer.from(answer.text), contentTypeOf(answer)).message;
  const text = cleanUpstreamMessage(said, secrets) || 'The provider refused the task.';
  const waitMs = code === 'upstream_rate_limited' ? retryAfterMs(answer.headers, Date.now()) : undefined;
  return new GatewayError(code, text, {
    ...(param !== undefined && { param }),
    ...(waitMs !== undefined && { retryAfterSeconds: Math.ceil(waitMs / 1000) }),
  });
}

/** For the caller of a job whose result would have been this answer. */
const failedWith = (status: number): GatewayError =>
  new GatewayError(
    'upstream_error',
    `The provider returned an error (HTTP ${status}), and its result is lost. You were not charged.`,
  );

/** The same, where no whole answer came. */
function brokeOff(error: unknown, signal: AbortSignal): GatewayError {
  const cause = error instanceof Error ? error.cause : undefined;
  const isTimeout = signal.aborted || (cause instanceof Error && cause.name.endsWith('TimeoutError'));
  return isTimeout
    ? new GatewayError(
        'upstream_timeout',
        'The provider did not respond in time, and its result is lost. You were not charged.',
      )
    : new GatewayError(
        'upstream_error',
        'The connection to the provider was lost, and its result is lost. You were not charged.',
      );
}

/** What became of the paid call must not be lost over a file that is gone anyway. */
const ignored = (): void => undefined;

/** Passing, or for the operator to fix: a key that was revoked, an account without money. */
const isFixable = (status: number): boolean => isPassing(status) || [401, 402, 403].includes(status);

function withoutFailure(answer: WireAnswer): WireAnswer {
  if (isFixable(answer.status)) throw new Error(`the provider answered a cancelling with ${answer.status}`);
  return answer;
}

/** Of something in front: no provider sends a poll elsewhere. */
const isRedirect = (status: number): boolean => status >= 300 && status < 400;

const isGood = ({ status }: { status: number }): boolean => status >= 200 && status < 300;

const contentTypeOf = ({ headers }: WireAnswer): string => String(headers['content-type'] ?? '');

/** Ids go into rows, which hold no NUL. */
const isKeepableId = (id: string): boolean => id.length <= jobIdCharactersMax && isKeepable(id);

/** The provider's own id of a call: as the body has it, or under whichever of the usual names. */
function requestIdOf(headers: WireAnswer['headers'], inBody?: string): { requestId?: string } {
  const named = ['x-request-id', 'x-tt-logid', 'x-fal-request-id', 'request-id'].map((name) => headers[name]);
  for (const value of [inBody, ...named]) {
    if (typeof value === 'string' && value !== '')
      return { requestId: keepable(value.slice(0, requestIdCharactersMax)) };
  }
  return {};
}

/**
 * Providers whose calls are spans. They are wrapped rather than told, so that adapters know nothing of traces, and nothing
 * stands between where there are none. The trace's id is not sent along: it is of no use to a stranger.
 */
import { noOutputs } from '../domain/tasks/image-outputs.ts';
import type { ChatListener, ChatProvider } from '../providers/chat-contract.ts';
import type { Job, PreparedCreate, Refused, Submission, TaskProvider } from '../providers/contract.ts';
import { attributeNames as names } from '../observability/tracing/span-names.ts';
import type { Span, Tracing } from '../observability/tracing/tracing.ts';

/** Each call of the adapter is a client span, named by provider and operation. */
export function tracedTasks(tracing: Tracing, name: string, adapter: TaskProvider): TaskProvider {
  const call = <T>(operation: string, job: Job | undefined, run: (span: Span) => Promise<T>): Promise<T> =>
    tracing.during(`${name} ${operation}`, 'client', { [names.provider]: name, [names.model]: job?.model }, run);
  const sent = (job: Job, send: () => Promise<Submission>) =>
    call('submit', job, async (span) => noted(span, await send()));
  return {
    get abilities() {
      return adapter.abilities;
    },
    ...(adapter.pollPauseMsMax !== undefined && { pollPauseMsMax: adapter.pollPauseMsMax }),
    submit: (job, signal) => sent(job, () => adapter.submit(job, signal)),
    ...(adapter.prepare && {
      prepare: (job, signal) =>
        call('prepare', job, async () => preparedWith(sent, job, await adapter.prepare?.(job, signal))),
    }),
    poll: (jobId, job, signal) => tracedPoll(tracing, name, job, () => adapter.poll(jobId, job, signal)),
    ...(adapter.answersWithResult && { answersWithResult: (job) => adapter.answersWithResult?.(job) === true }),
    ...(adapter.resultOf && { resultOf: (answer, job) => there(adapter.resultOf?.(answer, job)) }),
    ...(adapter.cancel && {
      cancel: (jobId, job, signal) => call('cancel', job, () => there(adapter.cancel?.(jobId, job, signal))),
    }),
    ...(adapter.find && { find: (job, signal) => call('find', job, () => there(adapter.find?.(job, signal))) }),
    ...(adapter.jobIdOf && { jobIdOf: (body) => adapter.jobIdOf?.(body) }),
    imageOutputs: (route) => adapter.imageOutputs?.(route) ?? noOutputs,
    ...(adapter.probe && { probe: (signal) => there(adapter.probe?.(signal)) }),
    ...(adapter.close && { close: () => there(adapter.close?.()) }),
  };
}

function preparedWith(
  sent: (job: Job, send: () => Promise<Submission>) => Promise<Submission>,
  job: Job,
  prepared: PreparedCreate | Refused | undefined,
): PreparedCreate | Refused | undefined {
  if (!prepared || !('send' in prepared)) return prepared;
  return { send: (signal) => sent(job, () => prepared.send(signal)), discard: () => prepared.discard() };
}

function noted(span: Span, submission: Submission): Submission {
  span.set({ [names.outcome]: submission.outcome });
  if (submission.outcome === 'refused') span.fail(submission.error.code);
  if (submission.outcome === 'unknown') span.fail('unknown');
  return submission;
}

/** A job is asked for hundreds of times; only the answer that tells something is a span. */
async function tracedPoll<T extends { state: string }>(
  tracing: Tracing,
  name: string,
  job: Job,
  poll: () => Promise<T>,
): Promise<T> {
  const startedAt = Date.now();
  const tell = (state: string, kind?: string) => {
    const span = tracing.begin(
      `${name} poll`,
      'client',
      { [names.provider]: name, [names.model]: job.model, [names.outcome]: state },
      { startedAt },
    );
    if (kind !== undefined) span.fail(kind);
    span.end();
  };
  try {
    const polled = await poll();
    if (polled.state !== 'processing') tell(polled.state, polled.state === 'succeeded' ? undefined : polled.state);
    return polled;
  } catch (error) {
    tell('failed', error instanceof Error ? error.name : 'unknown');
    throw error;
  }
}

/** Each call is a client span from its start to the end of its answer. */
export function tracedChat(tracing: Tracing, name: string, adapter: ChatProvider): ChatProvider {
  return {
    get endpoints() {
      return adapter.endpoints;
    },
    start(call, listener) {
      // Of a stored response the path has an id in it; the first part tells what is asked.
      const [operation = '', part = ''] = call.path.split('/');
      const span = tracing.begin(`${name} ${operation === 'chat' ? `chat/${part}` : operation}`, 'client', {
        [names.provider]: name,
        [names.method]: call.method,
      });
      const exchange = adapter.start(call, tracedListener(span, listener));
      return {
        pause: () => exchange.pause(),
        resume: () => exchange.resume(),
        abort() {
          exchange.abort();
          span.set({ [names.outcome]: 'aborted' });
          span.end();
        },
      };
    },
    ...(adapter.probe && { probe: (signal) => there(adapter.probe?.(signal)) }),
    ...(adapter.close && { close: () => there(adapter.close?.()) }),
  };
}

const tracedListener = (span: Span, listener: ChatListener): ChatListener => ({
  onHead(head) {
    span.set({ [names.status]: head.status });
    if (head.status >= 400) span.fail(String(head.status));
    listener.onHead(head);
  },
  onData: (chunk) => listener.onData(chunk),
  onEnd() {
    span.end();
    listener.onEnd();
  },
  onFailure(failure) {
    span.fail(failure.kind);
    span.end();
    listener.onFailure(failure);
  },
});

const there = <T>(step: Promise<T> | undefined): Promise<T> =>
  step ?? Promise.reject(new Error('the provider does not offer this any more'));

/**
 * Traces the calls to providers as client spans. The trace's id is not sent along: a provider has no use for it. Without
 * tracing there is no such layer, and chat goes to its adapter directly.
 */
import { attributeNames as names } from '../../observability/tracing/span-names.ts';
import type { Span, Tracing } from '../../observability/tracing/tracing.ts';
import type { ChatListener, ChatProvider } from '../../providers/chat-contract.ts';
import type { Job, Poll, Submission, TaskProvider } from '../../providers/contract.ts';
import { type Layer, wrapProvider } from './wrap-provider.ts';

/** Returns the layer in which each call of a job is a span, named by provider and operation. */
export function traceTaskCalls(tracing: Tracing, name: string): Layer<TaskProvider> {
  const trace = <T>(operation: string, job: Job, run: (span: Span) => Promise<T>): Promise<T> =>
    tracing.during(`${name} ${operation}`, 'client', { [names.provider]: name, [names.model]: job.model }, run);
  const send = (job: Job, call: () => Promise<Submission>) =>
    trace('submit', job, async (span) => noteOutcome(span, await call()));
  return {
    submit: (call, job, signal) => send(job, () => call(job, signal)),
    prepare: (call, job, signal) =>
      trace('prepare', job, async () => {
        const prepared = await call(job, signal);
        if (!prepared || !('send' in prepared)) return prepared;
        return { ...prepared, send: (signal) => send(job, () => prepared.send(signal)) };
      }),
    poll: (call, jobId, job, signal) => tracePoll(tracing, name, job, () => call(jobId, job, signal)),
    cancel: (call, jobId, job, signal) => trace('cancel', job, () => call(jobId, job, signal)),
    find: (call, job, signal) => trace('find', job, () => call(job, signal)),
  };
}

function noteOutcome(span: Span, submission: Submission): Submission {
  span.set({ [names.outcome]: submission.outcome });
  if (submission.outcome === 'refused') span.fail(submission.error.code);
  if (submission.outcome === 'unknown') span.fail('unknown');
  return submission;
}

/** A job is polled hundreds of times; only the poll that ends it, or throws, becomes a span. */
async function tracePoll(tracing: Tracing, name: string, job: Job, call: () => Promise<Poll>): Promise<Poll> {
  const startedAt = Date.now();
  const record = (state: string, kind?: string) => {
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
    const poll = await call();
    if (poll.state !== 'processing') record(poll.state, poll.state === 'succeeded' ? undefined : poll.state);
    return poll;
  } catch (error) {
    record('failed', error instanceof Error ? error.name : 'unknown');
    throw error;
  }
}

/** Returns the chat providers with their calls traced, or as they are without tracing. */
export function traceChatProviders(
  tracing: Tracing | undefined,
  adapters: ReadonlyMap<string, ChatProvider>,
): ReadonlyMap<string, ChatProvider> {
  if (!tracing) return adapters;
  return new Map(
    [...adapters].map(([name, adapter]) => [name, wrapProvider(() => adapter, [traceChatCalls(tracing, name)])]),
  );
}

/** The layer in which each chat call is a span from its start to the end of its answer. */
function traceChatCalls(tracing: Tracing, name: string): Layer<ChatProvider> {
  return {
    start(start, call, listener) {
      // The path of a stored response has an id in it; its first part names the operation.
      const [operation = '', part = ''] = call.path.split('/');
      const span = tracing.begin(`${name} ${operation === 'chat' ? `chat/${part}` : operation}`, 'client', {
        [names.provider]: name,
        [names.method]: call.method,
      });
      const exchange = start(call, traceListener(span, listener));
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
  };
}

const traceListener = (span: Span, listener: ChatListener): ChatListener => ({
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

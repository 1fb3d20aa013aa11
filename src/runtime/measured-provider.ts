/** A task provider whose calls are counted: what was asked of it, and what came of that. */
import type { PreparedCreate, Submission, TaskProvider } from '../providers/contract.ts';
import type { OperationCells, ProviderMeter } from '../observability/metrics/meters.ts';

/** The same provider; a create is counted once, whether it was prepared or not. */
export function measuredProvider(name: string, provider: TaskProvider, meter: ProviderMeter): TaskProvider {
  const measured = <T>(
    operation: Parameters<ProviderMeter['of']>[1],
    call: Promise<T>,
    outcomeOf: (answer: T) => string,
  ) => counted(meter.of(name, operation), call, outcomeOf);
  const withMeter = (prepared: PreparedCreate): PreparedCreate => ({
    ...prepared,
    send: (signal) => measured('create', prepared.send(signal), outcomeOfCreate),
  });
  const own: Partial<TaskProvider> = {
    submit: (job, signal) => measured('create', provider.submit(job, signal), outcomeOfCreate),
    poll: (jobId, job, signal) =>
      measured('poll', provider.poll(jobId, job, signal), (poll) =>
        poll.state === 'processing' && poll.isTrouble === true ? 'trouble' : poll.state,
      ),
    ...(provider.prepare && {
      prepare: async (job, signal) => {
        const prepared = await provider.prepare?.(job, signal);
        return prepared === undefined || 'error' in prepared ? prepared : withMeter(prepared);
      },
    }),
    ...(provider.cancel && {
      cancel: (jobId, job, signal) =>
        measured('cancel', there(provider.cancel?.(jobId, job, signal)), (stopped) =>
          stopped ? 'stopped' : 'too_late',
        ),
    }),
    ...(provider.find && {
      find: (job, signal) =>
        measured('find', there(provider.find?.(job, signal)), (id) => (id === undefined ? 'missing' : 'found')),
    }),
    ...(provider.probe && { probe: (signal) => measured('probe', there(provider.probe?.(signal)), () => 'ok') }),
  };
  const all: TaskProvider = { ...provider, ...own };
  // Read anew each time: a reload may put another adapter in its place.
  return Object.defineProperty(all, 'abilities', { get: () => provider.abilities, enumerable: true });
}

/** `failed`: the provider's fault, `refused`: the caller's. */
function outcomeOfCreate(submission: Submission): string {
  return submission.outcome === 'refused' && submission.fallOver ? 'failed' : submission.outcome;
}

async function counted<T>(cells: OperationCells, call: Promise<T>, outcomeOf: (answer: T) => string): Promise<T> {
  const startedAtMs = performance.now();
  try {
    const answer = await call;
    cells.count(outcomeOf(answer), performance.now() - startedAtMs);
    return answer;
  } catch (error) {
    cells.count('error', performance.now() - startedAtMs);
    throw error;
  }
}

const there = <T>(step: Promise<T> | undefined): Promise<T> =>
  step ?? Promise.reject(new Error('the provider does not offer this any more'));

/** Counts and times the calls to a task provider, by operation and outcome. */
import type { OperationCells, ProviderMeter } from '../../observability/metrics/meters.ts';
import type { Poll, Submission, TaskProvider } from '../../providers/contract.ts';
import type { Layer } from './wrap-provider.ts';

/** Returns the layer that meters one provider. A create is counted once, whether it was prepared or not. */
export function meterTaskCalls(meter: ProviderMeter, name: string): Layer<TaskProvider> {
  const measure = <T>(
    operation: Parameters<ProviderMeter['of']>[1],
    call: Promise<T>,
    outcomeOf: (answer: T) => string,
  ) => count(meter.of(name, operation), call, outcomeOf);
  return {
    submit: (call, ...args) => measure('create', call(...args), outcomeOfCreate),
    async prepare(call, ...args) {
      const prepared = await call(...args);
      if (prepared === undefined || 'error' in prepared) return prepared;
      return { ...prepared, send: (signal) => measure('create', prepared.send(signal), outcomeOfCreate) };
    },
    poll: (call, ...args) => measure('poll', call(...args), outcomeOfPoll),
    cancel: (call, ...args) => measure('cancel', call(...args), (stopped) => (stopped ? 'stopped' : 'too_late')),
    find: (call, ...args) => measure('find', call(...args), (id) => (id === undefined ? 'missing' : 'found')),
    probe: (call, ...args) => measure('probe', call(...args), () => 'ok'),
  };
}

/** `failed`: the provider's fault, `refused`: the caller's. */
const outcomeOfCreate = (submission: Submission): string =>
  submission.outcome === 'refused' && submission.fallOver ? 'failed' : submission.outcome;

const outcomeOfPoll = (poll: Poll): string =>
  poll.state === 'processing' && poll.hasFailed === true ? 'trouble' : poll.state;

async function count<T>(cells: OperationCells, call: Promise<T>, outcomeOf: (answer: T) => string): Promise<T> {
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

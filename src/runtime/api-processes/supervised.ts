/** An API process's side of its supervisor: says that it is up, shows its figures, and outlives no supervisor for long. */
import cluster from 'node:cluster';
import type { ProcessMetrics } from '../../observability/metrics/metric-registry.ts';
import { within } from '../../domain/within.ts';
import { readToProcess, type ToSupervisor } from './messages.ts';

/** Longer than the supervisor waits for the others' figures. */
const textMsMax = 8_000;

export interface Supervised {
  /** Resolves when the supervisor has died. Before `becomeUp` this process would just end with it. */
  orphaned: Promise<void>;
  metrics: Pick<ProcessMetrics, 'contentType' | 'metrics'>;
  becomeUp(address: string): void;
}

/** Undefined for a process that has no supervisor. */
export function joinSupervisor(own: ProcessMetrics): Supervised | undefined {
  const { worker } = cluster;
  if (!worker) return undefined;
  let waiting: ((text: string) => void)[] = [];
  process.on('message', (message) => {
    const heard = readToProcess(message);
    if (heard?.say === 'show') void own.figures().then((figures) => tell({ say: 'figures', figures: [...figures] }));
    if (heard?.say !== 'all') return;
    for (const resolve of waiting) resolve(heard.text);
    waiting = [];
  });
  const allFigures = () => {
    const text = new Promise<string>((resolve) => waiting.push(resolve));
    tell({ say: 'scraped' });
    return within(textMsMax, text, () => {
      throw new Error('the supervisor does not answer');
    });
  };
  let orphan: () => void = () => undefined;
  const orphaned = new Promise<void>((resolve) => (orphan = resolve));
  return {
    orphaned,
    // Alone after the supervisor's death, it has no one to ask.
    metrics: { contentType: own.contentType, metrics: () => (process.connected ? allFigures() : own.metrics()) },
    becomeUp(address) {
      // Otherwise node:cluster ends an orphan at once, in the middle of its answers.
      worker.once('disconnect', () => {
        worker.exitedAfterDisconnect = true;
        orphan();
      });
      tell({ say: 'up', address });
    },
  };
}

function tell(message: ToSupervisor): void {
  // Unheard by a supervisor that has just died: `orphaned` says that.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

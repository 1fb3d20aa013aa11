/** Temporal's runtime, of which a process has one: its log goes into ours, and signals are our own matter. */
import { DefaultLogger, type LogMetadata, Runtime, type TelemetryOptions } from '@temporalio/worker';
import { taskIdPrefixes } from '../domain/ids.ts';
import type { Logger } from 'pino';

/** Said of each queue of a provider at each start: these have activities only, as they should. */
const ofNoWorkflows = 'No workflows registered';

/** To be called once, before anything connects. `metrics` says where the core shows those of its workers. */
export function installTemporalRuntime(log: Logger, metrics?: TelemetryOptions['metrics']): void {
  const logger = new DefaultLogger('WARN', ({ level, message, meta }) => {
    const write = level === 'ERROR' ? log.error.bind(log) : log.warn.bind(log);
    if (message.startsWith(ofNoWorkflows)) return;
    const error: unknown = meta?.['error'];
    write({ ...taskOf(meta), temporal: plain(meta), ...(error !== undefined && { err: error }) }, message);
  });
  Runtime.install({ logger, shutdownSignals: [], telemetryOptions: { ...(metrics && { metrics }) } });
}

/** The workflow of a task bears its id. */
function taskOf(meta: LogMetadata | undefined): { taskId?: string } {
  const id: unknown = meta?.['workflowId'];
  if (typeof id !== 'string') return {};
  return Object.values(taskIdPrefixes).some((prefix) => id.startsWith(prefix)) ? { taskId: id } : {};
}

/** What is plain; the rest may hold payloads. */
const plain = (meta: LogMetadata | undefined): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(meta ?? {}).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value)),
  );

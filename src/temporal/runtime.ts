/** Temporal's runtime, of which a process has one: its log goes into ours, and signals are our own matter. */
import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';

/** To be called once, before anything connects. */
export function installTemporalRuntime(log: Logger): void {
  const logger = new DefaultLogger('WARN', ({ level, message, meta }) => {
    const write = level === 'ERROR' ? log.error.bind(log) : log.warn.bind(log);
    write({ temporal: meta }, message);
  });
  Runtime.install({ logger, shutdownSignals: [] });
}

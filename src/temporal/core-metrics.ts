/**
 * The metrics of Temporal's workers. The SDK's core counts in native code and shows its figures on an HTTP endpoint of its
 * own, which is bound to loopback here and read when ours is scraped.
 */
import { createServer } from 'node:net';
import type { TelemetryOptions } from '@temporalio/worker';
import type { Logger } from 'pino';
import { installTemporalRuntime } from './runtime.ts';

const answerMsMax = 1_000;
const loopback = '127.0.0.1';
/** The core binds its port after it was found to be free; another process may take it first, but hardly three times. */
const portsTriedMax = 3;

/** Returns the text of the core's metrics; rejects when it doesn't come within a second. */
export type CoreMetrics = () => Promise<string>;

/** As `installTemporalRuntime`, for a process that has workers. Without a port the process runs without these metrics. */
export async function installMeasuredRuntime(log: Logger): Promise<CoreMetrics | undefined> {
  for (let tries = 1; tries <= portsTriedMax; tries++) {
    const port = await freePort();
    try {
      installTemporalRuntime(log, shownOn(port));
      return () => textFrom(port);
    } catch (error) {
      log.warn({ err: error, port }, "a port for the metrics of Temporal's workers could not be used");
    }
  }
  installTemporalRuntime(log);
  return undefined;
}

/** Counters end in `_total` and durations are `_seconds`, as Prometheus has it. */
const shownOn = (port: number): TelemetryOptions['metrics'] => ({
  prometheus: {
    bindAddress: `${loopback}:${port}`,
    countersTotalSuffix: true,
    unitSuffix: true,
    useSecondsForDurations: true,
  },
});

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, loopback, () => {
      const address = server.address();
      server.close(() =>
        address !== null && typeof address === 'object'
          ? resolve(address.port)
          : reject(new Error('no port on loopback is free')),
      );
    });
  });
}

async function textFrom(port: number): Promise<string> {
  const answer = await fetch(`http://${loopback}:${port}/metrics`, { signal: AbortSignal.timeout(answerMsMax) });
  if (!answer.ok) throw new Error(`the metrics of Temporal's core were answered with ${answer.status}`);
  return answer.text();
}

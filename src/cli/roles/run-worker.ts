/** `tollgate worker`: runs tasks until SIGTERM. */
import { showTemporal } from '../../runtime/scraped-gauges.ts';
import { openWorkerEndpoint } from '../../runtime/worker-endpoint.ts';
import { startWorkerRole } from '../../runtime/worker-role.ts';
import { installMeasuredRuntime } from '../../temporal/core-metrics.ts';
import { workerConnection } from '../../temporal/worker-connection.ts';
import { withCore } from './with-core.ts';

/** Runs tasks until it is asked to stop. Raises a SettingsError when it can't find the servers that it needs. */
export const runWorker = (): Promise<void> =>
  withCore(async ({ settings, core, outside, asked, isUp }) => {
    const { log, meters } = core;
    const coreMetrics = await installMeasuredRuntime(log);
    if (coreMetrics) showTemporal(meters.metrics, coreMetrics, log);
    const connection = await workerConnection(outside);
    const { workerPort } = settings.environment;
    const endpoint = workerPort === undefined ? undefined : await openWorkerEndpoint(core, connection, workerPort);
    const worker = await startWorkerRole(core, connection, outside.namespace);
    log.info({ port: endpoint?.port }, 'the worker runs');
    endpoint?.becomeReady();
    isUp();
    await Promise.race([asked, worker.done]);
    log.info('stopping');
    endpoint?.leave();
    await worker.stop();
    await endpoint?.close();
    await connection.close();
  });

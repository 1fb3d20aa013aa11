/**
 * What the gateways and workers of a test process share of Temporal: its runtime, of which a process has one, and a connection.
 * From a native connection's first call on Node notes its context in each promise of the process, and goes on when it is
 * closed: with one for each gateway, promises soon carried a hundred.
 */
import { NativeConnection } from '@temporalio/worker';
import pino from 'pino';
import { type CoreMetrics, installMeasuredRuntime } from '../../src/temporal/core-metrics.ts';
import { fromTestRun } from './database.ts';

/** Silent, unless TEST_LOG_LEVEL says what to see. */
export const testLog = pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' }, pino.destination(2));

let runtime: Promise<CoreMetrics | undefined> | undefined;
let connection: Promise<NativeConnection> | undefined;

/** To be called before anything connects. The first log is the one that Temporal's goes into. */
export const runtimeOfProcess = (log = testLog): Promise<CoreMetrics | undefined> =>
  (runtime ??= installMeasuredRuntime(log));

/** To the run's server. Not to be closed: it ends with the process. */
export const connectionOfProcess = (): Promise<NativeConnection> =>
  (connection ??= NativeConnection.connect({ address: fromTestRun('TEMPORAL_ADDRESS') }));

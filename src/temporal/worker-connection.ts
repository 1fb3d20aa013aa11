/** The connection of workers, apart from the client's: it loads native code, which commands do without. */
import { NativeConnection } from '@temporalio/worker';
import { optionsOf, type TemporalTarget } from './connection.ts';

/** A connection for workers, which the API of the same process may use too. */
export const workerConnection = async (target: TemporalTarget): Promise<NativeConnection> =>
  NativeConnection.connect(await optionsOf(target));

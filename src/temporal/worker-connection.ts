/** The connection of workers, apart from the client's: it loads native code, which commands do without. */
import { NativeConnection } from '@temporalio/worker';
import { lazyConnection, optionsOf, type TemporalTarget } from './connection.ts';
import { checkTemporal, diagnose } from './connection-errors.ts';

/**
 * A connection for workers, which the API of the same process may use too. Raises a TemporalConnectionError that names the setting
 * to look at when there is none to be had, or when Temporal doesn't know the namespace.
 */
export async function workerConnection(target: TemporalTarget): Promise<NativeConnection> {
  const options = await optionsOf(target);
  const connection = await NativeConnection.connect(options).catch(async (error: unknown) => {
    throw await diagnose(error, target);
  });
  // Asked on a connection of its own, whose AsyncLocalStorage ends with it (`connection.ts`): a native one's never does, and
  // where API and worker share a process a chat call took 5 % more CPU time from then on.
  const asking = await lazyConnection(target);
  try {
    await checkTemporal(asking, target);
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  } finally {
    await asking.close();
  }
}

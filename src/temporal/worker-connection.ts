/** The connection of workers, apart from the client's: it loads native code, which commands do without. */
import { NativeConnection } from '@temporalio/worker';
import { optionsOf, type TemporalTarget } from './connection.ts';
import { checkTemporal, diagnosed } from './troubles.ts';

/**
 * A connection for workers, which the API of the same process may use too. Raises a TemporalTrouble that names the setting
 * to look at when there is none to be had, or when Temporal doesn't know the namespace.
 */
export async function workerConnection(target: TemporalTarget): Promise<NativeConnection> {
  const options = await optionsOf(target);
  const connection = await NativeConnection.connect(options).catch(async (error: unknown) => {
    throw await diagnosed(error, target);
  });
  try {
    await checkTemporal(connection, target);
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Connections to a Temporal server: plain on loopback, TLS or an API key as the settings say. */
import { readFile } from 'node:fs/promises';
import { Connection } from '@temporalio/client';
import type { NativeConnectionOptions } from '@temporalio/worker';
import type { TemporalSettings } from '../settings/environment.ts';

/** The settings with the address that is used: theirs, or the embedded server's. */
export type TemporalTarget = TemporalSettings & { address: string };

/** A connection that is made when it is first used, so that the API starts and accepts while Temporal is away. */
export const lazyConnection = async (target: TemporalTarget): Promise<Connection> =>
  Connection.lazy(await optionsOf(target));

/** How to connect, in the words of both kinds of connection. */
export async function optionsOf({ address, apiKey, tls }: TemporalTarget): Promise<NativeConnectionOptions> {
  if (!tls) return { address };
  const { serverName, serverCaPath, clientCertPath, clientKeyPath } = tls;
  return {
    address,
    ...(apiKey !== undefined && { apiKey }),
    tls: {
      ...(serverName !== undefined && { serverNameOverride: serverName }),
      ...(serverCaPath !== undefined && { serverRootCACertificate: await readFile(serverCaPath) }),
      ...(clientCertPath !== undefined &&
        clientKeyPath !== undefined && {
          clientCertPair: { crt: await readFile(clientCertPath), key: await readFile(clientKeyPath) },
        }),
    },
  };
}

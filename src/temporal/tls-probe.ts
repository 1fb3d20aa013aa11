/** Why a TLS connection to Temporal fails: gRPC's clients try again for ever and only say that they are not there yet. */
import { once } from 'node:events';
import tls from 'node:tls';
import type { TemporalTarget } from './connection.ts';
import { optionsOf } from './connection.ts';

const connectMsMax = 5_000;
/** With TLS 1.3 a server refuses the client's certificate only after the handshake. */
const alertMs = 1_000;

/** What TLS says against a connection with these settings; undefined if nothing, or if no server answers there. */
export async function tlsFault(target: TemporalTarget): Promise<string | undefined> {
  const { tls: wanted } = await optionsOf(target);
  if (wanted === undefined || wanted === null || typeof wanted === 'boolean') return undefined;
  const [, host = '', port] = /^\[?(.*?)\]?:(\d+)$/.exec(target.address) ?? [];
  const socket = tls.connect({
    host,
    port: Number(port),
    servername: wanted.serverNameOverride ?? host,
    ALPNProtocols: ['h2'],
    ...(wanted.serverRootCACertificate && { ca: Buffer.from(wanted.serverRootCACertificate) }),
    ...(wanted.clientCertPair && {
      cert: Buffer.from(wanted.clientCertPair.crt),
      key: Buffer.from(wanted.clientCertPair.key),
    }),
  });
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(connectMsMax) });
    await once(socket.resume(), 'end', { signal: AbortSignal.timeout(alertMs) });
    return 'the server closes the connection right after the handshake'; // one that is content waits for the first call
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const isUnreachable = ['ABORT_ERR', 'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH'].includes(
      code,
    );
    return isUnreachable ? undefined : `${code}: ${error instanceof Error ? error.message : String(error)}`;
  } finally {
    socket.destroy();
  }
}

/** The codec endpoint as a process of its own: keys from the environment, and neither a database nor Temporal. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { readEnvironment } from '../../config/environment.ts';
import { SettingsError } from '../../config/setting-errors.ts';
import { payloadCodec } from '../../temporal/codec.ts';
import { codecEndpoint } from '../../temporal/codec-endpoint.ts';
import { print } from '../output.ts';
import { stopSignal } from '../stop-signal.ts';

/** Serves until it is asked to stop. Raises a SettingsError without keys, or without an address of the UI. */
export async function runCodec({
  host,
  port,
  origins,
}: {
  host: string;
  port: number;
  origins: readonly string[] | undefined;
}): Promise<void> {
  const { temporal } = readEnvironment(process.env);
  const { codecKeys, namespace, uiUrl } = temporal;
  if (codecKeys === undefined) throw new SettingsError(['TEMPORAL_CODEC_KEYS: is required to decrypt payloads']);
  const addresses = origins ?? (uiUrl === undefined ? [] : [uiUrl]);
  if (addresses.length === 0)
    throw new SettingsError(['TOLLGATE_TEMPORAL_UI_URL: is not set; specify the URL of the UI there or with --origin']);
  const asked = stopSignal();
  const server = codecEndpoint({ codec: payloadCodec(codecKeys), origins: addresses.map(originOf), namespace });
  server.listen(port, host);
  await once(server, 'listening');
  const { address, port: taken, family } = server.address() as AddressInfo;
  print(`Codec server listening on http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`);
  await asked;
  server.close();
  server.closeAllConnections();
}

function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && ['http:', 'https:'].includes(url.protocol)) return url.origin;
  throw new SettingsError([`--origin: ${text} must be a URL such as http://127.0.0.1:8233`]);
}

/** Uploads the file and makes a batch of it. */
import { api } from '../../api/client.ts';
import { type Progress, upload } from '../../api/upload.ts';
import { randomHex } from '../../parts/random-hex.ts';
import type { Endpoint } from './endpoints.ts';

export interface Order {
  file: File;
  endpoint: Endpoint;
  hours: number;
  metadata: Readonly<Record<string, string>>;
}

/** What is under way; without progress it is no upload. */
export interface Run {
  progress: Progress | undefined;
}

/** What was sent before: a file that is there is not sent again, and an order that got no answer is repeated under its key. */
export interface Sent {
  upload?: { file: File; id: string };
  order?: { text: string; key: string };
}

/** Returns the id of the batch. Raises a ConsoleError for what is refused, and the signal's reason when it aborts. */
export async function makeBatch(
  account: string,
  { file, endpoint, hours, metadata }: Order,
  sent: Sent,
  { signal, report }: { signal: AbortSignal; report: (progress: Progress | undefined) => void },
): Promise<string> {
  if (sent.upload?.file !== file) {
    const form = new FormData();
    form.set('purpose', 'batch');
    form.set('file', file);
    const address = `/console/api/accounts/${account}/v1/files`;
    sent.upload = { file, id: await upload(address, form, newKey(), signal, report) };
  }
  report(undefined);
  const body = {
    input_file_id: sent.upload.id,
    endpoint,
    completion_window: `${hours}h`,
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
  const text = JSON.stringify(body);
  if (sent.order?.text !== text) sent.order = { text, key: newKey() };
  const { data } = await api.POST('/console/api/accounts/{account}/v1/batches', {
    params: { path: { account }, header: { 'Idempotency-Key': sent.order.key } },
    body,
    signal,
  });
  if (!data) throw new TypeError('a success without an answer');
  return data.id;
}

const newKey = (): string => `console-${randomHex()}`;

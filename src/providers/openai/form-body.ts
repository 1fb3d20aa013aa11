/** A form with one file as multipart (RFC 7578), written while it is read: its length is known before. */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ChatForm } from '../chat-contract.ts';

export interface FormBody {
  contentType: string;
  bytes: number;
  body: Readable;
}

export function formBodyOf({ fields, file }: ChatForm): FormBody {
  const boundary = `tollgate-${randomBytes(16).toString('hex')}`;
  const part = (name: string, more = '') =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"${more}`;
  const head = [
    ...fields.map(({ name, value }) => `${part(name)}\r\n\r\n${value}\r\n`),
    `${part('file', `; filename="${quoted(file.name)}"`)}\r\nContent-Type: ${file.mediaType}\r\n\r\n`,
  ].join('');
  const before = Buffer.from(head);
  const after = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    bytes: before.length + file.bytes + after.length,
    body: Readable.from(pieces(), { objectMode: false }),
  };

  async function* pieces(): AsyncGenerator<Buffer> {
    yield before;
    const bytes: AsyncIterable<Buffer> = await file.open();
    yield* bytes;
    yield after;
  }
}

/** As browsers write names. */
const quoted = (name: string): string => name.replace(/\r?\n|\r/g, '%0A').replaceAll('"', '%22');

/** A form with files (RFC 7578) as a body that is read while it is sent. */
import { randomBytes } from 'node:crypto';
import type { InputFile } from './input-files.ts';

export interface FormFile {
  name: string;
  fileName: string;
  file: InputFile;
}

export interface Form {
  contentType: string;
  bytes: number;
  read(): AsyncIterable<Uint8Array>;
}

/** A form with these fields, in their order, and then the files. */
export function formOf(fields: readonly (readonly [string, string])[], files: readonly FormFile[]): Form {
  const boundary = `tollgate-${randomBytes(16).toString('hex')}`;
  const head = (disposition: string, more = '') =>
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${disposition}${more}\r\n\r\n`);
  const lineEnd = Buffer.from('\r\n');
  const end = Buffer.from(`--${boundary}--\r\n`);
  const texts = fields.map(([name, value]) =>
    Buffer.concat([head(`name="${quotable(name)}"`), Buffer.from(value), lineEnd]),
  );
  const parts = files.map(({ name, fileName, file }) => ({
    file,
    head: head(`name="${quotable(name)}"; filename="${quotable(fileName)}"`, `\r\nContent-Type: ${file.mediaType}`),
  }));
  const bytes =
    texts.reduce((sum, { length }) => sum + length, 0) +
    parts.reduce((sum, part) => sum + part.head.length + part.file.bytes + lineEnd.length, end.length);
  return { contentType: `multipart/form-data; boundary=${boundary}`, bytes, read };

  async function* read(): AsyncGenerator<Uint8Array> {
    yield* texts;
    for (const part of parts) {
      yield part.head;
      yield* part.file.read();
      yield lineEnd;
    }
    yield end;
  }
}

/** As browsers write names; a form has no other way to escape them. */
const quotable = (name: string): string => name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

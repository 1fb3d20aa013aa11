/** Files as the OpenAI API shows them. */
import * as z from 'zod';
import type { AccountFile } from '../../files/file-rows.ts';
import { filePurposes } from '../../domain/requests/file-request.ts';
import { unixSeconds } from '../../domain/unix-seconds.ts';
import { answer } from '../openapi/schemas.ts';
import type { Download } from '../send-file.ts';

const seconds = z.int().min(0);

export const fileObject = answer(
  'File',
  z.strictObject({
    id: z.string(),
    object: z.literal('file'),
    bytes: z.int().min(0),
    created_at: seconds,
    expires_at: seconds.nullable().describe('Null: it is kept until it is deleted.'),
    filename: z.string(),
    purpose: z.enum(filePurposes),
    status: z.literal('processed'),
    status_details: z.null(),
  }),
);

export const fileObjectOf = ({
  id,
  bytes,
  createdAt,
  expiresAt,
  filename,
  purpose,
}: AccountFile): z.output<typeof fileObject> => ({
  ...{ id, object: 'file', bytes, filename, purpose },
  created_at: unixSeconds(createdAt),
  expires_at: expiresAt && unixSeconds(expiresAt),
  ...{ status: 'processed', status_details: null },
});

/** The download of a file. Whatever a caller says that it is: no browser shows it. `whenGone` as a download has it. */
export const accountFileDownload = (
  { id, blob, bytes, filename }: AccountFile,
  whenGone: Download['whenGone'],
): Download => ({
  ...{ blobKey: blob, bytes, etag: id, whenGone },
  headers: {
    'Content-Type': 'application/octet-stream',
    'Cache-Control': 'private, no-cache',
    'Content-Disposition': asAttachment(filename),
  },
});

/**
 * Has a browser save the file, never show it, under its own name: in plain characters for what knows only those, and whole
 * in the form of RFC 8187.
 */
export function asAttachment(filename: string): string {
  const plain = filename.replace(/[^\w .()-]/g, '_');
  const whole = encodeURIComponent(filename).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`;
}

/** Files as the OpenAI API shows them. */
import * as z from 'zod';
import type { AccountFile } from '../../files/file-rows.ts';
import { filePurposes } from '../../domain/requests/file-request.ts';
import { unixSeconds } from '../../domain/unix-seconds.ts';
import { answer } from '../openapi/schemas.ts';

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

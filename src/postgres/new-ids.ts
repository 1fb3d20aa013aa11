/** New ids: time-ordered (UUIDv7, RFC 9562) so that indexes grow at their end, random enough never to meet. */
import { randomBytes, randomFillSync } from 'node:crypto';
import {
  taskIdPrefixes,
  type AccountId,
  type FileId,
  type KeyId,
  type TaskId,
  type TransferId,
} from '../domain/ids.ts';
import type { PersonId } from '../domain/accounts/person-rules.ts';
import type { TaskKind } from '../domain/tasks/task-states.ts';

export const newTaskId = (kind: TaskKind): TaskId => `${taskIdPrefixes[kind]}${timeOrderedHex()}` as TaskId;
export const newAccountId = (): AccountId => `acc_${timeOrderedHex()}` as AccountId;
export const newKeyId = (): KeyId => `key_${timeOrderedHex()}` as KeyId;
export const newFileId = (): FileId => `file-${timeOrderedHex()}` as FileId;
export const newBatchId = (): string => `batch_${timeOrderedHex()}`;
export const newEventId = (): string => `evt_${timeOrderedHex()}`;
export const newPersonId = (): PersonId => `usr_${timeOrderedHex()}` as PersonId;
export const newSessionId = (): string => `ses_${timeOrderedHex()}`;
export const newInvitationId = (): string => `inv_${timeOrderedHex()}`;
export const newBodyId = (): string => `body_${timeOrderedHex()}`;
export const newRequestId = (): string => `req_${timeOrderedHex()}`;

/** A UUIDv7. */
export function newTransferId(): TransferId {
  const hex = timeOrderedHex();
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}` as TransferId;
}

/** A new blob's key below a folder; its random part makes sure that nothing is ever overwritten. */
export const newBlobKey = (folder: string): string => `${folder}/${randomBytes(12).toString('hex')}`;

// Drawn in one piece for 256 ids: drawing each by itself was the costliest single function of a chat call.
const pool = Buffer.alloc(256 * 16);
let poolAt = pool.length;

let lastMs = 0;
let count = 0;

/**
 * 48 bits of Unix milliseconds, 12 that count up within a millisecond, 62 random ones: ids of one process sort in the
 * order in which they were made (RFC 9562, 6.2, method 1).
 */
function timeOrderedHex(): string {
  if (poolAt === pool.length) {
    randomFillSync(pool);
    poolAt = 0;
  }
  const bytes = pool.subarray(poolAt, (poolAt += 16));
  const nowMs = Date.now();
  // A random start, of eleven bits, leaves room for 2,048 ids more of the same millisecond.
  count = nowMs === lastMs ? (count + 1) & 0xfff : bytes.readUInt16BE(6) & 0x7ff;
  lastMs = nowMs;
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes.writeUInt16BE(0x7000 | count, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex');
}

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

/** A UUIDv7: 48 bits of Unix milliseconds, then 74 random bits. */
export function newTransferId(): TransferId {
  const hex = timeOrderedHex();
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}` as TransferId;
}

/** A new blob's key below a folder; its random part makes sure that nothing is ever overwritten. */
export const newBlobKey = (folder: string): string => `${folder}/${randomBytes(12).toString('hex')}`;

// Drawn in one piece for 256 ids: drawing each by itself was the costliest single function of a chat call.
const pool = Buffer.alloc(256 * 16);
let poolAt = pool.length;

function timeOrderedHex(): string {
  if (poolAt === pool.length) {
    randomFillSync(pool);
    poolAt = 0;
  }
  const bytes = pool.subarray(poolAt, (poolAt += 16));
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex');
}

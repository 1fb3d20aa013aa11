/** A database in which everything that the audit looks at has happened, with the blobs that its rows name. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { AccountId, TaskId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/money.ts';
import type { StoredFile } from '../../src/domain/tasks/task-states.ts';
import { changeAccount, createAccount, resumeAccount, suspendAccount } from '../../src/accounts/accounts.ts';
import { changeKey, createApiKey, noLimits, revokeKey } from '../../src/accounts/api-keys.ts';
import { audit, type AuditReport } from '../../src/audit/audit.ts';
import type { Check } from '../../src/audit/check-context.ts';
import { blobsCheck } from '../../src/audit/checks/stored-blobs.ts';
import { rowChecks } from '../../src/audit/checks/all-checks.ts';
import { changeBodyRecording } from '../../src/bodies/recording-settings.ts';
import { claimFetch, removeMedia } from '../../src/tasks/rows/fetch-claims.ts';
import { createPerson } from '../../src/accounts/people.ts';
import type { BlobStore } from '../../src/blobs/blob-store.ts';
import { createFileBlobs } from '../../src/blobs/file-store.ts';
import { closeIntent, openIntent, withdrawIntent } from '../../src/tasks/provider-calls/intents.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { newBlobKey, newTaskId } from '../../src/postgres/new-ids.ts';
import { markStarted } from '../../src/tasks/rows/task-rows.ts';
import { openedBefore } from './aged-database.ts';
import { freshDatabase, type TestDatabase } from './database.ts';
import {
  administrator,
  admissionOf,
  type Customer,
  failureOf,
  ledgerKey,
  newCustomer,
  newLedger,
  successOf,
} from './money.ts';

export interface Audited {
  home: TestDatabase;
  ledger: Ledger;
  blobs: BlobStore;
  /** Of the blobs. */
  folder: string;
  /** Has money, a webhook and a threshold, and a key that bought everything. */
  customer: Customer;
  /** Of an account that never did anything. */
  idle: Customer;
  tasks: Readonly<Record<TaskName, TaskId>>;
  store(key: string, bytes?: Buffer): Promise<StoredFile>;
  /** Everything that is not about the customers' money and counters. */
  audit(options?: { since?: Date; ledgerKeys?: readonly Buffer[]; deep?: boolean }): Promise<AuditReport>;
  remove(): Promise<void>;
}

export type TaskName =
  | 'accepted'
  | 'running'
  | 'withdrawn'
  | 'finished'
  | 'image'
  | 'avatar'
  | 'claimed'
  | 'removed'
  | 'failed'
  | 'cancelled';

/** Makes it, as if it had been made this long ago: an interval of PostgreSQL's. In a new database, if none is given. */
export async function auditedWorld(ago?: string, given?: TestDatabase): Promise<Audited> {
  const home = given ?? (await freshDatabase());
  const database = ago === undefined ? home.database : await openedBefore(home, ago);
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-audit-'));
  const blobs = createFileBlobs(folder);
  const made = newLedger(database);
  const by = administrator(database);

  const store = async (key: string, bytes = Buffer.from(`the content of ${key}`)): Promise<StoredFile> => {
    const { bytes: count, sha256 } = await blobs.write(key, Readable.from([bytes]), { bytesMax: bytes.length });
    return { blobKey: key, mediaType: 'video/mp4', bytes: count, sha256, durationMs: 1000 };
  };

  const customer = await newCustomer(database, made, 1_000_000n, { maxRunningTasks: 50 });
  await changeAccount(by, customer.account, { webhookUrl: 'https://example.com/hook', lowBalance: micros(10n) });
  await changeKey(by, customer.key, {
    callLimits: [{ calls: 1000, per: 'day' }],
    spendLimit: { amount: micros(900_000n), per: 'month' },
    models: ['sim-image'],
    expiresAt: new Date('2099-01-31T00:00:00.123Z'),
  });
  await changeBodyRecording(by, customer.account, { isOn: true, redactedFields: ['password', 'first, last'] });
  await made.adjust(customer.account, micros(-7n), 'a correction');
  const { id: idleAccount } = await createAccount(by, 'idle');
  const idle = { account: idleAccount, key: await idleKey(idleAccount) };
  await suspendAccount(by, idleAccount, 'for a test');
  await resumeAccount(by, idleAccount);
  const memberships = [{ account: customer.account, role: 'owner' } as const];
  await createPerson(by, { email: 'owner@example.com', passwordHash: 'a hash', isOperator: true, memberships });

  async function idleKey(account: AccountId) {
    const { key } = await createApiKey(by, account, { ...noLimits, name: 'idle', level: 'admin' });
    await revokeKey(by, key.id);
    return key.id;
  }

  async function admitted(kind: 'image' | 'avatar_talk'): Promise<TaskId> {
    const id = newTaskId(kind);
    const { task, ...admission } = admissionOf(customer, 100n, { id, kind, price: 70n });
    const uploads = kind === 'avatar_talk' && {
      uploads: { audio: await store(newBlobKey('uploads')), video: await store(newBlobKey('uploads')) },
    };
    const { admitted } = await made.admitTask({ ...admission, task: { ...task, ...uploads } });
    assert.equal(admitted, 'new');
    await markStarted(database, [id]);
    return id;
  }
  async function sent(kind: 'image' | 'avatar_talk'): Promise<TaskId> {
    const id = await admitted(kind);
    await openIntent(database, id, 0, 'simulator');
    await closeIntent(database, id, 0, { outcome: 'accepted', jobId: 'job' });
    return id;
  }
  async function done(kind: 'image' | 'avatar_talk'): Promise<TaskId> {
    const id = await sent(kind);
    const files = [await store(newBlobKey(`results/${id}`))];
    await made.settleTask({
      ...successOf(customer, id, 70n, { unit: kind === 'image' ? 'image' : 'second' }),
      durationMs: kind === 'image' ? null : 1000,
      files,
    });
    return id;
  }

  const withdrawn = await admitted('image');
  const opened = await openIntent(database, withdrawn, 0, 'simulator');
  assert.ok(opened.opened === 'now');
  assert.equal(await withdrawIntent(database, withdrawn, 0, opened.nonce), true);
  const finished = await admitted('image');
  await openIntent(database, finished, 0, 'simulator');
  const answer = newBlobKey(`results/${finished}`);
  await store(answer);
  await closeIntent(database, finished, 0, { outcome: 'finished', blobKeys: [answer] });
  const tasks = {
    withdrawn,
    finished,
    accepted: await admitted('avatar_talk'),
    running: await sent('image'),
    image: await done('image'),
    avatar: await done('avatar_talk'),
    claimed: await done('avatar_talk'),
    removed: await done('avatar_talk'),
    failed: await sent('image'),
    cancelled: await sent('avatar_talk'),
  };
  assert.ok(await claimFetch(database, tasks.claimed, 600_000));
  assert.ok(await removeMedia(database, blobs, tasks.removed));
  await made.releaseTask(failureOf(customer, tasks.failed));
  await made.releaseTask(failureOf(customer, tasks.cancelled, 'cancelled'));
  if (database !== home.database) await database.close();

  return {
    ...{ home, folder, blobs, customer, idle, tasks, store },
    ledger: newLedger(home.database),
    audit: ({ since, ledgerKeys = [ledgerKey], deep = false } = {}) => {
      const checks: Check[] = [...rowChecks, blobsCheck({ database: home.database, blobs, deep })];
      return audit({ database: home.database, ledgerKeys }, checks, { since });
    },
    async remove() {
      await home.drop();
      await rm(folder, { recursive: true });
    },
  };
}

/** Fails with what disagrees, if anything does. */
export function assertAgrees({ findings, agrees }: AuditReport): void {
  assert.deepEqual(findings, []);
  assert.equal(agrees, true);
}

/** Tasks that are done, with a result of any size, written as a worker would: no provider makes videos of 200 MB for a benchmark. */
import { Readable } from 'node:stream';
import type { AccountId, KeyId, TaskId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/money.ts';
import { readEnvironment } from '../../src/config/environment.ts';
import { deriveKeys, loadOrMakeSecret } from '../../src/config/secrets.ts';
import { findKeyBySecret } from '../../src/accounts/api-keys.ts';
import { openDatabase } from '../../src/postgres/database.ts';
import { GroupCommitter } from '../../src/ledger/commit/group-commit.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import { signLink } from '../../src/tasks/provider-calls/signed-links.ts';
import { newBlobKey, newTaskId } from '../../src/postgres/new-ids.ts';
import { blobsOf } from '../../src/runtime/open-blob-store.ts';
import type { MeasuredGateway } from '../gateway.ts';
import { pieces } from './parts.ts';

export interface Finisher {
  /** The path of a video by its link, which can be fetched as often as wished. */
  linked(bytes: number): Promise<string>;
  /** The path of an avatar-talk video, which can be fetched once. */
  once(bytes: number): Promise<string>;
  close(): Promise<void>;
}

const model = 'bench-talk';
const price = micros(10n);
const linkSeconds = 3_600;

const requests = {
  video: {
    ...{ model, content: [{ type: 'text', text: 'A video' }], form: 'prompt', generateAudio: false },
    ...{ ratio: '16:9', durationSeconds: 1, watermark: false },
  },
  avatar_talk: { model, templateName: 'bench' },
};

const termsOf = (kind: 'video' | 'avatar_talk') => ({
  modelKind: kind === 'video' ? 'video' : 'avatar-talk',
  price: { unit: 'second', perSecond: price.toString() },
  priceVersion: 'bench',
  maxSeconds: null,
  qualityScale: null,
  routes: [
    {
      ...{ provider: 'slow', kind: 'simulator', model, options: {}, fields: {} },
      ...{ timeoutMs: 60_000, deadlineMs: 3_600_000 },
    },
  ],
});

/** For a customer of a gateway; with the settings that name its blob store. */
export async function openFinisher(
  { databaseUrl, dataDir }: MeasuredGateway,
  secret: string,
  env: Record<string, string>,
): Promise<Finisher> {
  const secrets = deriveKeys([await loadOrMakeSecret(dataDir)]);
  const database = openDatabase(databaseUrl, { onIdleError: () => undefined });
  const groups = new GroupCommitter(database, secrets.first.ledger);
  const ledger = new Ledger(groups);
  const blobs = await blobsOf({ dataDir, s3: readEnvironment(env).s3 });
  const key = await findKeyBySecret(database, secrets.ledgerKeys, secret);
  if (!key) throw new Error('there is no such key');
  const customer = { account: key.accountId, key: key.id };
  return {
    linked: async (bytes) => {
      const taskId = await finished(customer, 'video', bytes);
      const expiresAtSeconds = Math.floor(Date.now() / 1000) + linkSeconds;
      return signLink({ taskId, file: 0, expiresAtSeconds }, secrets);
    },
    once: async (bytes) => `/v1/svctalk/generate/${await finished(customer, 'avatar_talk', bytes)}`,
    close: async () => {
      await groups.drained();
      blobs.close();
      await database.close();
    },
  };

  async function finished(
    { account, key }: { account: AccountId; key: KeyId },
    kind: 'video' | 'avatar_talk',
    bytes: number,
  ): Promise<TaskId> {
    const id = newTaskId(kind);
    const stored = async (folder: string, count: number) => {
      const { key: blobKey, sha256 } = await blobs.write(newBlobKey(folder), Readable.from(pieces(count)), {
        bytesMax: count,
      });
      return { blobKey, sha256, bytes: count, mediaType: 'video/mp4', durationMs: 1_000 };
    };
    const result = await stored(`results/${id}`, bytes);
    const uploads =
      kind === 'avatar_talk' ? { audio: await stored('uploads', 10), video: await stored('uploads', 10) } : undefined;
    const shared = { model, requestId: 'req_bench' };
    const units = { thousandths: 1_000n, unit: 'second', unitPrice: price, priceVersion: 'bench' } as const;
    const answer = await ledger.admitTask({
      account,
      units,
      request: { needs: 'standard', model, maintenance: false, hold: price, currency: 'CNY', isTask: true },
      task: {
        ...shared,
        id,
        kind,
        keyId: key,
        request: requests[kind],
        terms: termsOf(kind),
        ...(uploads && { uploads }),
      },
    });
    if (answer.admitted !== 'new') throw new Error(`a task was refused: ${answer.admitted}`);
    await ledger.settleTask({ ...shared, account, key, task: id, price, units, durationMs: 1_000, files: [result] });
    return id;
  }
}

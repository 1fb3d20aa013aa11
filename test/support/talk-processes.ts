/** API processes as they run in production, over one database and blob store, and tasks that are done to be fetched from them. */
import type { AccountId, KeyId } from '../../src/domain/ids.ts';
import { readEnvironment } from '../../src/config/environment.ts';
import { deriveKeys } from '../../src/config/secrets.ts';
import type { BlobStore } from '../../src/blobs/blob-store.ts';
import { createAccount } from '../../src/accounts/accounts.ts';
import { createApiKey, noLimits } from '../../src/accounts/api-keys.ts';
import type { Database } from '../../src/postgres/database.ts';
import { GroupCommitter } from '../../src/ledger/commit/group-commit.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import { micros } from '../../src/domain/money.ts';
import { blobsOf } from '../../src/runtime/open-blob-store.ts';
import { freshDatabase, fromTestRun } from './database.ts';
import { Installation, ready, type Running } from './process.ts';
import { finishedTalk, type Talk } from './talks.ts';

const secret = 'a secret of the tests with 40 characters';

export interface TalkProcesses {
  database: Database;
  blobs: BlobStore;
  /** Of an account with 1,000 CNY. */
  key: string;
  /** A task that is done, with a video of so many bytes. */
  finished: (bytes: number) => Promise<Talk>;
  /** Starts another API process. */
  api: () => Promise<{ running: Running; url: string }>;
  stop(): Promise<void>;
}

/** With these settings besides their own, by which the blobs may be kept elsewhere. */
export async function startTalkProcesses(env: Record<string, string> = {}): Promise<TalkProcesses> {
  const ledgerKey = deriveKeys([secret]).first.ledger;
  const made = await freshDatabase();
  const { database } = made;
  const home = await Installation.make({
    DATABASE_URL: made.url,
    TEMPORAL_ADDRESS: fromTestRun('TEMPORAL_ADDRESS'),
    TOLLGATE_SECRET: secret,
    ...env,
  });
  const { s3 } = readEnvironment(env);
  const blobs = await blobsOf({ dataDir: home.dataDir, s3 });
  const ledger = new Ledger(new GroupCommitter(database, ledgerKey));
  const customer = await newCustomer();
  return {
    database,
    blobs,
    key: customer.secret,
    finished: (bytes) => finishedTalk({ ledger, blobs }, customer, bytes),
    async api() {
      const running = home.spawn(['api']);
      const url = await running.printed(/"address":"(http:[^"]+)"/);
      await ready(url);
      return { running, url };
    },
    async stop() {
      await home.remove();
      await made.drop();
    },
  };

  async function newCustomer(): Promise<{ account: AccountId; key: KeyId; secret: string }> {
    const by = { database, ledgerKey, actor: 'tollgate' } as const;
    const { id: account } = await createAccount(by, 'test');
    await ledger.credit(account, micros(1_000_000_000n), 'for a test');
    const { key, secret } = await createApiKey(by, account, { ...noLimits, name: 'test', level: 'standard' });
    return { account, key: key.id, secret };
  }
}

/** Fills a ledger as a gateway would: calls and tasks of many accounts and keys, in groups as large as they become. */
import { Readable } from 'node:stream';
import type { AccountId, KeyId } from '../../src/domain/ids.ts';
import { vendorText } from '../../src/domain/billing/vendor-text.ts';
import { micros } from '../../src/domain/money.ts';
import { createAccount } from '../../src/accounts/accounts.ts';
import type { Administrator } from '../../src/ledger/audit-log.ts';
import type { BlobStore } from '../../src/blobs/blob-store.ts';
import type { Database } from '../../src/postgres/database.ts';
import { closeIntent, openIntent } from '../../src/tasks/provider-calls/intents.ts';
import { createApiKey, noLimits } from '../../src/accounts/api-keys.ts';
import { CallLedger, type CallAdmission, type CallHold, type CallPrice } from '../../src/ledger/call-ledger.ts';
import { GroupCommitter } from '../../src/ledger/commit/group-commit.ts';
import { Ledger, type TaskAdmission } from '../../src/ledger/ledger.ts';
import { newBlobKey, newRequestId, newTaskId } from '../../src/postgres/new-ids.ts';

export interface Customer {
  account: AccountId;
  key: KeyId;
}

export interface Moves {
  database: Database;
  ledger: Ledger;
  calls: CallLedger;
  /** Where the results of its tasks are. */
  blobs: BlobStore;
}

const keysPerAccount = 4;
const callsAtOnce = 512;
/** One in so many is a task and not a call. */
const taskEvery = 50;
const entriesACall = 3;
const reportEveryMs = 5_000;

export const movesOn = (by: Administrator, blobs: BlobStore): Moves => {
  const groups = new GroupCommitter(by.database, by.ledgerKey);
  return { database: by.database, ledger: new Ledger(groups), calls: new CallLedger(groups), blobs };
};

/** Accounts with money and some keys each. */
export async function makeCustomers(
  by: Administrator,
  { ledger }: Pick<Moves, 'ledger'>,
  accounts: number,
  keys = keysPerAccount,
): Promise<Customer[]> {
  const customers: Customer[] = [];
  for (let index = 0; index < accounts; index++) {
    const { id: account } = await createAccount(by, `customer ${index}`);
    await ledger.credit(account, micros(1_000_000_000_000n), 'for the benchmark');
    for (let each = 0; each < keys; each++) {
      const { key } = await createApiKey(by, account, { ...noLimits, name: `key ${each}`, level: 'standard' });
      customers.push({ account, key: key.id });
    }
  }
  return customers;
}

/** Calls and tasks until there are about so many entries. */
export async function fill(
  moves: Moves,
  customers: readonly Customer[],
  owner: string,
  entries: number,
  { say, signal }: { say: (line: string) => void; signal: AbortSignal },
): Promise<void> {
  const { calls } = moves;
  const count = Math.ceil(entries / entriesACall);
  let begun = 0;
  let reportedAtMs = performance.now();
  const work = async () => {
    while (begun < count) {
      signal.throwIfAborted();
      const index = begun++;
      const customer = customers[index % customers.length];
      if (!customer) throw new Error('no customer to call');
      if (index % taskEvery === 0) await runTask(moves, customer);
      else await calls.settle(await admitted(calls, customer, owner), callPrice);
      if (performance.now() - reportedAtMs > reportEveryMs) {
        reportedAtMs = performance.now();
        say(`${Math.round((begun / count) * 100)}% of ${entries.toLocaleString('en')} entries`);
      }
    }
  };
  await Promise.all(Array.from({ length: callsAtOnce }, work));
}

/** A call's hold. */
export async function admitted(calls: CallLedger, { account, key }: Customer, owner: string): Promise<CallHold> {
  const admission: CallAdmission = {
    ...{ account, key, owner, requestId: newRequestId(), model: 'bench' },
    request: {
      needs: 'chat',
      model: 'bench',
      maintenance: false,
      hold: micros(5_000n),
      currency: 'CNY',
      isTask: false,
    },
    lines: callPrice.lines,
    priceVersion: callPrice.priceVersion,
    overrunFactor: 2,
  };
  const answer = await calls.admit(admission);
  if (answer.admitted !== 'yes') throw new Error('a call was refused');
  return answer.hold;
}

export const callPrice: CallPrice = {
  total: micros(2_800n),
  lines: [
    { unit: 'input_token', units: 1_000, pricePerMillion: micros(2_000_000n), amount: micros(2_000n) },
    { unit: 'output_token', units: 100, pricePerMillion: micros(8_000_000n), amount: micros(800n) },
  ],
  usageSource: 'upstream',
  priceVersion: 'bench',
  origin: {
    provider: 'bench',
    // As OpenAI answers: the audit reads it again.
    vendor: vendorText({
      id: 'chatcmpl-bench',
      model: 'bench',
      form: 'chat',
      usage: {
        ...{ prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 },
        prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
      },
    }),
  },
};

/** A task's hold and row; returns what its end needs. */
export async function admitTask(ledger: Ledger, { account, key }: Customer) {
  const id = newTaskId('image');
  const price = micros(200_000n);
  const shared = { model: 'bench-image', requestId: newRequestId() };
  const units = { thousandths: 1_000n, unit: 'image', unitPrice: price, priceVersion: 'bench' } as const;
  const admission: TaskAdmission = {
    account,
    units,
    request: {
      needs: 'standard',
      model: 'bench-image',
      maintenance: false,
      hold: price,
      currency: 'CNY',
      isTask: true,
    },
    task: { ...shared, id, kind: 'image', keyId: key, request: { prompt: 'a gate' }, terms: termsAt(price) },
  };
  if ((await ledger.admitTask(admission)).admitted !== 'new') throw new Error('a task was refused');
  return { ...shared, account, key, task: id, price, units };
}

/** As the audit works the charge out again from them. */
const termsAt = (price: bigint) => ({
  modelKind: 'image',
  price: { unit: 'image', perImage: price.toString() },
  priceVersion: 'bench',
  routes: [{ provider: 'bench', kind: 'simulator', model: 'bench', options: {}, timeoutMs: 1, deadlineMs: 1 }],
  ...{ maxSeconds: null, qualityScale: null, overrunFactor: 2 },
});

async function runTask({ database, ledger, blobs }: Moves, customer: Customer): Promise<void> {
  const task = await admitTask(ledger, customer);
  await openIntent(database, task.task, 0, 'bench');
  await closeIntent(database, task.task, 0, { outcome: 'accepted', jobId: 'job' });
  const { key: blobKey, ...stored } = await blobs.write(
    newBlobKey(`results/${task.task}`),
    Readable.from([Buffer.from('png')]),
    { bytesMax: 3 },
  );
  const file = { blobKey, mediaType: 'image/png', ...stored };
  await ledger.settleTask({ ...task, durationMs: null, files: [file] });
}

/** What the tests of the ledger share: accounts with keys, admissions, and a reader that checks what was written. */
import assert from 'node:assert/strict';
import type { KeyId, AccountId, TaskId } from '../../src/domain/ids.ts';
import { ledgerAccounts } from '../../src/domain/billing/postings.ts';
import { micros } from '../../src/domain/money.ts';
import { type KeyLimits } from '../../src/domain/accounts/key-rules.ts';
import type { Administrator } from '../../src/ledger/audit-log.ts';
import { createAccount } from '../../src/accounts/accounts.ts';
import { createApiKey, findKey, noLimits } from '../../src/accounts/api-keys.ts';
import type { Database } from '../../src/postgres/database.ts';
import { GroupCommitter } from '../../src/ledger/commit/group-commit.ts';
import { Ledger, type TaskAdmission, type TaskFailure, type TaskSuccess } from '../../src/ledger/ledger.ts';
import { chainLink } from '../../src/ledger/chain.ts';
import { canonicalEntry, type EntryRow } from '../../src/ledger/commit/written-rows.ts';
import { canonicalJson } from '../../src/domain/json/canonical-json.ts';
import { newTaskId } from '../../src/postgres/new-ids.ts';

export const ledgerKey = Buffer.alloc(32, 7);

/** The actor that sets up what a test needs. */
export const administrator = (database: Database): Administrator => ({ database, ledgerKey, actor: 'tollgate' });

export const newLedger = (database: Database): Ledger => new Ledger(new GroupCommitter(database, ledgerKey));

export interface Customer {
  account: AccountId;
  key: KeyId;
}

/** An account with this many micro-units and a key. */
export async function newCustomer(
  database: Database,
  ledger: Ledger,
  balance: bigint,
  limits: Partial<KeyLimits> = {},
): Promise<Customer> {
  const { id: account } = await createAccount(administrator(database), 'test');
  if (balance > 0n) await ledger.credit(account, micros(balance), 'for a test');
  const { key } = await createApiKey(administrator(database), account, {
    ...noLimits,
    ...limits,
    name: 'test',
    level: 'standard',
  });
  return { account, key: key.id };
}

export interface AdmissionOptions {
  id?: TaskId;
  kind?: 'image' | 'avatar_talk';
  /** Of an image or second, if it is not what is held. */
  price?: bigint;
  /** That its request names. */
  webhookUrl?: string;
  idempotency?: { key: string; bodyHash: Buffer };
  /** The providers of its routes. */
  routes?: readonly string[];
  maxSeconds?: number;
  askedSeconds?: number;
  timeoutMs?: number;
  deadlineMs?: number;
  /** Of a busy provider; none without. */
  rateLimitPatienceMs?: number;
}

const upload = { blobKey: 'uploads/x/y', mediaType: 'audio/wav', bytes: 3, sha256: '00', durationMs: 1000 };
const requests = {
  image: {
    model: 'sim-image',
    prompt: 'a gate',
    quality: 'medium',
    n: 2,
    imageUrls: [],
    pixels: { mode: 'sized', width: 1024, height: 1024 },
  },
  avatar_talk: { model: 'sim-avatar-talk', templateName: 'template' },
};

/** A task's admission at this price an image or second. */
export function admissionOf({ account, key }: Customer, hold: bigint, more: AdmissionOptions = {}): TaskAdmission {
  const price = micros(hold);
  const kind = more.kind ?? 'image';
  return {
    account,
    request: { needs: 'standard', model: 'sim-image', maintenance: false, hold: price, currency: 'CNY', isTask: true },
    units: { thousandths: 1000n, unit: 'image', unitPrice: price, priceVersion: 'v1' },
    task: {
      id: more.id ?? newTaskId(kind),
      kind,
      keyId: key,
      requestId: 'req_test',
      model: 'sim-image',
      request: { ...requests[kind], ...(more.webhookUrl !== undefined && { webhookUrl: more.webhookUrl }) },
      ...(kind === 'avatar_talk' && { uploads: { audio: upload, video: upload } }),
      terms: {
        modelKind: kind === 'image' ? 'image' : 'avatar-talk',
        price:
          kind === 'image'
            ? { unit: 'image', perImage: (more.price ?? hold).toString() }
            : { unit: 'second', perSecond: (more.price ?? hold).toString() },
        priceVersion: 'v1',
        maxSeconds: more.maxSeconds ?? null,
        ...(more.askedSeconds !== undefined && { askedSeconds: more.askedSeconds }),
        qualityScale: null,
        routes: (more.routes ?? ['simulator']).map((provider) => ({
          provider,
          kind: 'simulator',
          model: 'upstream-model',
          options: {},
          fields: {},
          timeoutMs: more.timeoutMs ?? 60_000,
          deadlineMs: more.deadlineMs ?? 3_600_000,
          ...(more.rateLimitPatienceMs !== undefined && { rateLimitPatienceMs: more.rateLimitPatienceMs }),
        })),
      },
    },
    ...(more.idempotency && { idempotency: more.idempotency }),
  };
}

export const successOf = (
  { account, key }: Customer,
  task: TaskId,
  price: bigint,
  facts: { thousandths?: bigint; unit?: 'image' | 'second' } = {},
): TaskSuccess => ({
  account,
  key,
  task,
  price: micros(price),
  units: {
    thousandths: facts.thousandths ?? 1000n,
    unit: facts.unit ?? 'image',
    unitPrice: micros(price),
    priceVersion: 'v1',
  },
  model: 'sim-image',
  requestId: 'req_test',
  durationMs: null,
  files: [{ blobKey: 'results/x/y', mediaType: 'image/png', bytes: 3, sha256: '00' }],
});

export const failureOf = (
  { account, key }: Customer,
  task: TaskId,
  state: 'failed' | 'cancelled' = 'failed',
): TaskFailure => ({
  account,
  key,
  task,
  state,
  error: { code: state === 'failed' ? 'upstream_error' : 'cancelled', message: 'No.', param: null },
  model: 'sim-image',
  requestId: 'req_test',
});

/** What the account, its key and its tasks say now. */
export async function stateOf(database: Database, { account, key }: Customer) {
  const { rows } = await database.pool.query<{ available: bigint; held: bigint; seq: bigint; in_arrears: boolean }>(
    'select available, held, seq, in_arrears from accounts where id = $1',
    [account],
  );
  const counters = (await findKey(database, key))?.counters;
  assert.ok(rows[0] && counters);
  return { ...rows[0], counters };
}

/**
 * Recomputes everything that the ledger promises from its rows alone: every entry sums to zero, balances equal the
 * sums, numbers have no gap, running balances follow, open holds make `held`, and the chain leads to the head. Of all
 * accounts, or of `only` these.
 */
export async function assertLedgerAddsUp(
  database: Database,
  key: Buffer = ledgerKey,
  only: readonly string[] | null = null,
): Promise<void> {
  const { rows: accounts } = await database.pool.query<Row>(
    'select * from accounts where $1::text[] is null or id = any($1)',
    [only],
  );
  const { rows: entries } = await database.pool.query<Row>(
    'select * from entries where $1::text[] is null or account_id = any($1) order by account_id, seq',
    [only],
  );
  for (const account of accounts) {
    const own = entries.filter((entry) => entry['account_id'] === account['id']);
    assert.equal(account['seq'], BigInt(own.length), 'the count of entries');
    let [available, held] = [0n, 0n];
    let chain = chainLink(key, Buffer.alloc(32), [String(account['id'])]);
    let group: string[] = [];
    for (const [index, entry] of own.entries()) {
      const legs = ledgerAccounts.map((name) => entry[`d_${name}`] as bigint);
      assert.equal(
        legs.reduce((sum, leg) => sum + leg, 0n),
        0n,
        'an entry sums to zero',
      );
      available += entry['d_available'] as bigint;
      held += entry['d_held'] as bigint;
      assert.equal(entry['seq'], BigInt(index + 1), 'numbers without a gap');
      assert.equal(entry['available_after'], available, 'the available balance after an entry');
      assert.equal(entry['held_after'], held, 'what is held after an entry');
      group.push(canonicalOf(entry));
      if (entry['link'] === null) continue;
      chain = chainLink(key, chain, group);
      group = [];
      assert.equal((entry['link'] as Buffer).toString('hex'), chain.toString('hex'), 'a link of the chain');
    }
    assert.equal(group.length, 0, 'the last entry of every commit has a link');
    assert.equal((account['chain'] as Buffer).toString('hex'), chain.toString('hex'), 'the head of the chain');
    assert.equal(account['available'], available, 'the available balance');
    assert.equal(account['held'], held, 'what is held');
  }
  const { rows: wrong } = await database.pool.query<Row>(
    `select a.id, a.held, coalesce(sum(h.amount) filter (where h.state = 'held'), 0) as open
     from accounts a left join holds h on h.account_id = a.id
     where $1::text[] is null or a.id = any($1) group by a.id
     having a.held <> coalesce(sum(h.amount) filter (where h.state = 'held'), 0)`,
    [only],
  );
  assert.deepEqual(wrong, [], 'open holds make up what is held');
  const { rows: running } = await database.pool.query<Row>(
    `select k.id, k.running_tasks, count(t.id) from api_keys k left join tasks t on t.key_id = k.id and t.finished_at is null
     where $1::text[] is null or k.account_id = any($1) group by k.id having k.running_tasks <> count(t.id)`,
    [only],
  );
  assert.deepEqual(running, [], 'keys know their running tasks');
}

type Row = Record<string, unknown>;

/** An entry as the database gives it back, in the text that the chain signed. */
export function canonicalOf(row: Row): string {
  const of = (name: string) => row[name] ?? undefined;
  const sale = { units: of('units'), unit: of('unit'), unitPrice: of('unit_price'), usageSource: of('usage_source') };
  const subject = { keyId: of('key_id'), taskId: of('task_id'), requestId: of('request_id'), model: of('model') };
  return canonicalEntry({
    accountId: of('account_id'),
    seq: of('seq'),
    createdAt: of('created_at'),
    entry: {
      type: of('type'),
      legs: Object.fromEntries(ledgerAccounts.map((name) => [name, row[`d_${name}`]])),
      subject: { ...subject, transferId: of('transfer_id') },
      sale: {
        ...sale,
        priceVersion: of('price_version'),
        lines: row['lines'] === null ? undefined : canonicalJson(row['lines']),
      },
      origin: { provider: of('provider'), cost: of('cost'), vendor: of('vendor') },
      reason: of('reason'),
    },
    availableAfter: of('available_after'),
    heldAfter: of('held_after'),
  } as EntryRow);
}

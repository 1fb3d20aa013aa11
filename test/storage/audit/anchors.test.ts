/** What an audit writes down for the next one, and that the result of an audit can't be rewritten. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { micros } from '../../../src/domain/money.ts';
import { audit, type AuditReport } from '../../../src/audit/audit.ts';
import type { Check } from '../../../src/audit/check-context.ts';
import { lastWholeAudit, keepAudit } from '../../../src/audit/audit-results.ts';
import { createFileBlobs } from '../../../src/blobs/file-store.ts';
import type { BlobStore } from '../../../src/blobs/blob-store.ts';
import { closeIntent, openIntent } from '../../../src/tasks/provider-calls/intents.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { newTaskId } from '../../../src/postgres/new-ids.ts';
import { auditEverything } from '../../../src/audit/whole-audit.ts';
import { freshDatabase, type TestDatabase } from '../../support/database.ts';
import { admissionOf, type Customer, failureOf, ledgerKey, newCustomer, newLedger } from '../../support/money.ts';

let home: TestDatabase;
let ledger: Ledger;
let customer: Customer;
let blobs: BlobStore;
let folder: string;
before(async () => {
  home = await freshDatabase();
  folder = await mkdtemp(join(tmpdir(), 'tollgate-anchors-'));
  blobs = createFileBlobs(folder);
  ledger = newLedger(home.database);
  customer = await newCustomer(home.database, ledger, 5n);
});
after(async () => {
  blobs.close();
  await home.drop();
  await rm(folder, { recursive: true });
});

const ledgerKeys = [ledgerKey];
const audited = (store = blobs): Promise<AuditReport> =>
  auditEverything({ database: home.database, blobs: store, ledgerKeys, temporal: 'left_out', fetchWindowMs: 600_000 });
const says = async () => (await audited()).findings.map(({ check, says }) => `${check}: ${says}`);
/** Changes rows as an operator of the database can, and answers what undoes it. */
async function byHand(text: string): Promise<void> {
  const client = await home.database.pool.connect();
  try {
    await client.query(`begin; set local session_replication_role = replica; ${text}; commit`);
  } finally {
    client.release();
  }
}

/** Cuts the customer's newest entry and the newest act off, so that all that is left agrees. */
const cutNewest = (account = customer.account) =>
  byHand(`create table kept_entries as table entries; create table kept_acts as table acts;
    create table kept_accounts as table accounts; create table kept_chains as table chains;
    delete from entries e using accounts a where a.id = '${account}' and e.account_id = a.id and e.seq = a.seq;
    update accounts a set seq = e.seq, available = e.available_after, chain = e.link from entries e
      where a.id = '${account}' and e.account_id = a.id and e.seq = a.seq - 1;
    delete from acts where seq = (select max(seq) from acts);
    update chains set seq = seq - 1, head = (select link from acts order by seq desc limit 1) where name = 'acts'`);
const putBack = () =>
  byHand(`delete from entries; insert into entries select * from kept_entries;
    delete from acts; insert into acts select * from kept_acts;
    update accounts a set seq = k.seq, available = k.available, chain = k.chain from kept_accounts k where k.id = a.id;
    update chains c set seq = k.seq, head = k.head from kept_chains k where k.name = c.name;
    drop table kept_entries, kept_acts, kept_accounts, kept_chains`);

describe('an audit that agrees', () => {
  test('chains an anchor to the one before, and names it in its row and result', async () => {
    const [first, second] = [await audited(), await audited()];
    assert.deepEqual([first.findings, second.findings], [[], []]);
    assert.ok(first.anchor && second.anchor);
    assert.equal(second.anchor.seq, first.anchor.seq + 1);
    assert.notEqual(second.anchor.mac, first.anchor.mac);
    const list = await readFile(join(folder, second.anchor.blob), 'utf8');
    assert.match(list, new RegExp(`"before":"${first.anchor.mac}"`));
    assert.ok(list.includes(customer.account) && list.endsWith(`= ${second.anchor.mac}\n`));
    const { rows } = await home.database.pool.query('select anchor from audits order by finished_at desc limit 1');
    assert.deepEqual((rows[0] as { anchor: unknown }).anchor, second.anchor);
  });

  test('writes no anchor over a cut that is made while it runs, and shows it', async () => {
    await ledger.credit(customer.account, micros(3n), 'will be cut off meanwhile');
    assert.deepEqual(await says(), []);
    // The last check looks through the blobs: what is compared with the last anchor was read by then.
    let isCut = false;
    const cutting: BlobStore = {
      ...blobs,
      async *list(prefix) {
        if (prefix !== 'anchors/' && !isCut) {
          isCut = true;
          await cutNewest();
        }
        yield* blobs.list(prefix);
      },
    };
    const lists = await readdir(join(folder, 'anchors'));
    const { agrees, anchor, findings } = await audited(cutting);
    assert.deepEqual([isCut, agrees, anchor], [true, false, undefined]);
    assert.ok(
      findings.every(({ check, says }) => check === 'anchors' && says.includes('its newest rows were cut off')),
      JSON.stringify(findings),
    );
    assert.deepEqual(await readdir(join(folder, 'anchors')), lists);
    await putBack();
    assert.deepEqual(await says(), []);
  });

  test('shows the next one that the newest entries and acts were cut off, though all that is left agrees', async () => {
    await ledger.credit(customer.account, micros(7n), 'will be cut off');
    assert.deepEqual(await says(), []);
    await cutNewest();
    const cut = await says();
    assert.equal(cut.length, 2, cut.join('\n'));
    assert.ok(cut.every((text) => text.startsWith('anchors: at the last anchor its chain reached number ')));
    // Not forgotten by the audit that reported it, nor when its rows are gone.
    await byHand('delete from audits');
    const again = await says();
    assert.ok(
      again.length === 3 && again.some((text) => text.includes('the audit that wrote anchor')),
      again.join('\n'),
    );
    await putBack();
  });

  test('shows the next one that its list was changed or removed', async () => {
    for (const name of await readdir(join(folder, 'anchors'))) await rm(join(folder, 'anchors', name));
    await byHand('delete from audits');
    const { anchor } = await audited();
    assert.ok(anchor);
    const path = join(folder, anchor.blob);
    const list = await readFile(path, 'utf8');
    await writeFile(path, list.replace(`${customer.account} 3`, `${customer.account} 1`));
    assert.ok((await says()).some((text) => text.includes('was changed: it does not fit its keyed hash')));
    await rm(path);
    assert.deepEqual(await says(), [`anchors: the list of heads of anchor ${anchor.seq} is gone from the blob store`]);
    await writeFile(path, list);
    assert.deepEqual(await says(), []);
  });
});

test('the result of an audit that was rewritten is shown as a disagreement', async () => {
  const report = await audited();
  const startedAt = new Date(Date.now() + 1_000);
  const found = { ...report, startedAt, finishedAt: startedAt, agrees: false, findingCount: 2 };
  await keepAudit(home.database, ledgerKey, found, { leftOut: [] });
  const last = () => lastWholeAudit(home.database, ledgerKeys);
  assert.deepEqual([(await last())?.agrees, (await last())?.findingCount], [false, 2]);
  const { pool } = home.database;
  await pool.query(
    `update audits set agrees = true, report = jsonb_set(report, '{finding_count}', '0') where not agrees`,
  );
  assert.deepEqual([(await last())?.agrees, (await last())?.findingCount], [false, 1]);
  await pool.query(`update audits set since = now() where finished_at = $1`, [startedAt]);
  await keepAudit(home.database, ledgerKey, { ...report, finishedAt: new Date(0) }, { leftOut: [] });
  assert.equal((await last())?.agrees, false);
});

test('each page has a snapshot of its own, so that none outlives what is read in it', async () => {
  const seen: unknown[] = [];
  const look: Check = {
    name: 'look',
    run: async ({ read }) => {
      for (let page = 0; page < 2; page++) {
        seen.push(...(await read('select count(*)::integer from accounts')).flat());
        await newCustomer(home.database, ledger, 0n);
      }
    },
  };
  await audit({ database: home.database, ledgerKeys }, [look]);
  assert.deepEqual(seen, [1, 2]);
});

test('audits under traffic find nothing that is not there', async () => {
  const ended = new AbortController();
  const buyers = await Promise.all([1, 2, 3].map(() => newCustomer(home.database, ledger, 1_000_000n)));
  let bought = 0;
  const buying = buyers.map(async (buyer) => {
    while (!ended.signal.aborted) {
      const id = newTaskId('image');
      await ledger.admitTask(admissionOf(buyer, 10n, { id }));
      await openIntent(home.database, id, 0, 'simulator');
      await closeIntent(home.database, id, 0, {
        outcome: 'refused',
        error: { code: 'upstream_error', message: 'No.', param: null, fallOver: false },
      });
      await ledger.releaseTask(failureOf(buyer, id));
      await ledger.credit(buyer.account, micros(1n), 'while it is audited');
      bought += 1;
    }
  });
  try {
    for (let audits = 0; audits < 3; audits++) assert.deepEqual(await says(), []);
  } finally {
    ended.abort();
    await Promise.all(buying);
  }
  assert.ok(bought > 0);
  assert.deepEqual(await says(), []);
});

/** The ledger benchmark's comparison: what pgbench is given to do must be exactly what the product did. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { differenceOfTwins } from '../../bench/ledger/twins.ts';
import { admitTask, admitted, callPrice, type Customer, makeCustomers } from '../../bench/ledger/fill.ts';
import { itemsOf, literalOf } from '../../bench/ledger/literals.ts';
import { findPgbench } from '../../bench/ledger/pgbench.ts';
import { printed } from '../../bench/ledger/printed.ts';
import { Recorder } from '../../bench/ledger/recorder.ts';
import { type ReplayScript, replayScript, replaysTable } from '../../bench/ledger/replay-script.ts';
import { openDatabase } from '../../src/postgres/database.ts';
import { CallLedger } from '../../src/ledger/call-ledger.ts';
import { GroupCommitter } from '../../src/ledger/commit/group-commit.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';

const ledgerKey = Buffer.alloc(32, 7);

let db: TestDatabase;
before(async () => (db = await freshDatabase()));
after(() => db.drop());

describe('what the product sent, as a script', () => {
  test('does the same to the twins, call by call and task by task, in as many groups', async () => {
    const { customers, twins, script, groups } = await recorded();
    assert.equal(script.groups, groups);
    assert.ok(script.timedGroups < groups, 'a new connection has some groups to warm up with');
    const different = await differenceOf(customers, twins);
    assert.match(different ?? '', /accounts, keys, entries, holds, tasks/);
    await play(script.text);
    assert.equal(await differenceOf(customers, twins), undefined);
    const { rows } = await db.database.pool.query('select ended > begun as forwards from bench_replays');
    assert.deepEqual(rows, [{ forwards: true }]);
  });

  test('fails where a row is not as the statement before left it', async () => {
    const { twins, script } = await recorded();
    const [first] = twins;
    const meddled = script.text.replace(
      /^select extract/m,
      `update accounts set is_low = false where id = '${first?.account}';\n$&`,
    );
    assert.notEqual(meddled, script.text);
    await assert.rejects(play(meddled), /guard account_changed/);
  });
});

test('an array of nothing but the same is said once, any other as PostgreSQL printed it', () => {
  assert.deepEqual(itemsOf('{a,NULL,"b,\\"c\\\\"}'), ['a', null, 'b,"c\\']);
  assert.equal(literalOf('{a,a,a}', 'text[]'), `array_fill('a'::text, array[3])`);
  assert.equal(literalOf('{NULL,NULL}', 'bytea[]'), 'array_fill(null::bytea, array[2])');
  assert.equal(literalOf(`{"it's,","it's,"}`, 'text[]'), `array_fill('it''s,'::text, array[2])`);
  assert.equal(literalOf('{1,2}', 'bigint[]'), `'{1,2}'`);
  assert.equal(literalOf('{}', 'uuid[]'), `'{}'`);
  assert.equal(literalOf(null, 'text'), 'null');
});

test('without pgbench the benchmark says how to get it', async () => {
  await assert.rejects(
    findPgbench({ PGBENCH_PATH: '/nowhere/pgbench' }),
    /\/nowhere\/pgbench, which can't be run.*apt-get/s,
  );
});

interface Recorded {
  customers: Customer[];
  twins: Customer[];
  script: ReplayScript;
  groups: number;
}

/** Some groups of calls and tasks of customers of their own, and the script of them. */
async function recorded(): Promise<Recorded> {
  const database = openDatabase(db.url, { onIdleError: () => undefined });
  try {
    const recorder = new Recorder();
    recorder.watch(database.pipelined);
    let groups = 0;
    const ledgerGroups = new GroupCommitter(database, ledgerKey, undefined, {
      committed: () => {
        groups++;
      },
      took: () => undefined,
      failed: () => undefined,
    });
    const ledger = new Ledger(ledgerGroups);
    const calls = new CallLedger(ledgerGroups);
    const by = { database, ledgerKey, actor: 'tollgate' } as const;
    const customers = await makeCustomers(by, { ledger }, 3, 1);
    const twins = await makeCustomers(by, { ledger }, 3, 1);
    recorder.take();
    groups = 0;
    const owner = randomUUID();
    // The groups have one, two or all three of the accounts: a version may be needed at once, later, or never.
    for (let round = 0; round < 12; round++) {
      const some = customers.slice(0, 1 + (round % 3));
      const holds = await Promise.all(some.map((customer) => admitted(calls, customer, owner)));
      await Promise.all([
        ...holds.slice(1).map((hold) => calls.settle(hold, callPrice)),
        ...some.map((customer) => admitTask(ledger, customer)),
      ]);
    }
    await ledgerGroups.drained();
    const sent = await printed(database.pool, recorder.take());
    return { customers, twins, script: replayScript(sent, customers, twins), groups };
  } finally {
    await database.close();
  }
}

const differenceOf = (customers: Customer[], twins: Customer[]) =>
  differenceOfTwins({ ledger: { url: db.url }, size: 0, customers, twins });

/** What pgbench does with a script, as far as these use its language: not every machine that runs tests has it. */
async function play(script: string): Promise<void> {
  const client = new pg.Client({ connectionString: db.url });
  await client.connect();
  const variables = new Map<string, string>();
  const replaced = (text: string) => text.replace(/:([a-z]\w*)/g, (all, name: string) => variables.get(name) ?? all);
  try {
    await client.query(`${replaysTable}; truncate bench_replays`);
    for (const [, whole = '', ending] of script.matchAll(/(.*?)(?: (\\[ag]set)|(?<!\\);)\n/gs)) {
      for (const [, name = '', value = ''] of whole.matchAll(/^\\set (\w+) (.*)$/gm))
        variables.set(name, replaced(value));
      const statements = whole.replace(/^\\set .*\n/gm, '').replaceAll('\\;', ';');
      const answers = [await client.query(replaced(statements))].flat();
      if (ending === undefined) continue;
      for (const { rows } of answers) {
        for (const [name, value] of Object.entries(rows[0] ?? {})) variables.set(name, String(value));
      }
    }
  } finally {
    await client.end();
  }
}

/** `tollgate reconcile` on a database with calls of a provider: verdict, exit code, and the result that is kept. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { vendorText } from '../../../src/domain/billing/vendor-text.ts';
import { micros } from '../../../src/domain/money.ts';
import { CallLedger } from '../../../src/ledger/call-ledger.ts';
import { GroupCommitter } from '../../../src/ledger/commit/group-commit.ts';
import { listReconciliations } from '../../../src/reconciliation/results.ts';
import { callAdmissionOf, callPrice } from '../../support/calls.ts';
import { freshDatabase, type TestDatabase } from '../../support/database.ts';
import { ledgerKey, newCustomer, newLedger } from '../../support/money.ts';
import { Installation } from '../../support/process.ts';

const settings = `
providers:
  acme: { kind: simulator, reconcile: { columns: { time: When, cost: Amount, request_id: Request } } }
  plain: { kind: simulator }
models:
  - { id: m, kind: chat, routes: [{ provider: acme, model: m }], price: { input_per_million: 1, output_per_million: 1 } }
`;

let made: TestDatabase;
let home: Installation;
const dayMs = 86_400_000;
const from = new Date(Date.now() - dayMs).toISOString();
const to = new Date(Date.now() + dayMs).toISOString();
const now = new Date().toISOString();

before(async () => {
  made = await freshDatabase();
  home = await Installation.make({
    DATABASE_URL: made.url,
    TOLLGATE_SECRET: 'a secret of the tests with 40 characters',
  });
  await writeFile(join(home.folder, 'tollgate.yaml'), settings);
  const calls = new CallLedger(new GroupCommitter(made.database, ledgerKey));
  const who = await newCustomer(made.database, newLedger(made.database), 10_000_000n);
  for (const [id, cost] of [
    ['msg_1', 100_000n],
    ['msg_2', 200_000n],
  ] as const) {
    const admitted = await calls.admit(callAdmissionOf(who, 1_000_000n));
    assert.ok(admitted.admitted === 'yes');
    const origin = { provider: 'acme', cost: micros(cost), vendor: vendorText({ id, model: 'm' }) };
    await calls.settle(admitted.hold, { ...callPrice(300_000n), origin });
  }
});
after(async () => {
  await home.remove();
  await made.drop();
});

async function run(csv: string, ...more: string[]) {
  await writeFile(join(home.folder, 'bill.csv'), csv);
  return home.run(['reconcile', '--provider', 'acme', '--file', 'bill.csv', '--from', from, '--to', to, ...more]);
}

test('a bill that agrees exits 0, and one that does not exits 1 and names what differs', async () => {
  const good = await run(`When,Request,Amount\n${now},msg_1,0.1\n${now},msg_2,0.2\n`);
  assert.deepEqual([good.code, good.stderr], [0, '']);
  assert.match(good.stdout, /Differences of 0 CNY are 0 % of the file, within the tolerance of 1 %\.\n$/);

  const bad = await run(`When,Request,Amount\n${now},msg_1,0.15\n${now},msg_3,0.2\n`);
  assert.equal(bad.code, 1);
  assert.equal(bad.stderr, '');
  assert.match(bad.stdout, /\ndiffers: msg_1, .*, row 1: cost 0\.15 billed, 0\.1 booked\n/);
  assert.match(bad.stdout, /\nbilled, not booked: msg_3, .*, row 2: cost 0\.2\n/);
  assert.match(bad.stdout, /\nbooked, not billed: req_.*: cost 0\.2\n/);
  assert.match(bad.stdout, /\n1 billed and not booked, 1 booked and not billed, 1 differ\n/);

  const tolerated = await run(
    `When,Request,Amount\n${now},msg_1,0.101\n${now},msg_2,0.2\n`,
    '--tolerance',
    '0.005',
    '--json',
  );
  assert.equal(tolerated.code, 0);
  const result = JSON.parse(tolerated.stdout) as Record<string, unknown>;
  assert.deepEqual([result['object'], result['agrees'], result['differs']], ['reconciliation', true, 1]);
  const [kept, ...more] = await listReconciliations(made.database);
  assert.deepEqual([kept?.provider, kept?.tolerance, kept?.report.differs, more], ['acme', 0.005, 1, []]);
});

test('mistakes are refused, and say what is allowed', async () => {
  const row = `When,Request,Amount\n${now},msg_1,0.1\n`;
  const old = `When,Amount\n2020-01-01,1\n`;
  for (const [csv, args, code, says] of [
    [row, ['--tolerance', 'much'], 2, /Must be a share of 0 or more, such as 0\.01/],
    [row, ['--from', 'yesterday'], 2, /Must be an ISO 8601 time/],
    [row, ['--from', to], 2, /'--from' must be before '--to'/],
    [row, ['--provider', 'acne'], 1, /has no provider acne; it has acme, plain/],
    [row, ['--provider', 'plain'], 1, /there is no column time \(or the provider's reconcile\.columns/],
    [row, ['--file', 'gone.csv'], 1, /gone\.csv can't be read \(ENOENT\)/],
    [row, ['--key', 'k'], 1, /The file names no keys/],
    ['When,Amount\nnever,1\n', [], 1, /bill\.csv: row 1: When must be a time in ISO 8601, and is 'never'/],
    [old, [], 1, /No row of bill\.csv lies in the period; they are of 2020-01-01T00:00:00\.000Z to /],
  ] as const) {
    const ended = await run(csv, ...args);
    assert.equal(ended.code, code, `${ended.stdout}${ended.stderr}`);
    assert.match(ended.stderr, says);
  }
});

/** The audit of money reports by name any row that is changed by hand, column by column: hundreds of audits. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type BusyLedger, makeBusyLedger } from '../support/busy-ledger.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import type { Customer } from '../support/money.ts';
import { auditMoney, wordsOf } from '../support/money-audit.ts';
import { otherUuid, type Tampering, tamperingsOf, type Target, whileTampered } from '../support/tampering.ts';

let made: TestDatabase;
let all: BusyLedger;
before(async () => {
  made = await freshDatabase();
  all = await makeBusyLedger(made.database);
});
after(() => made.drop());

const look = () => auditMoney(made);

/** What is tampered with: rows of every kind that the busy ledger has. */
const targets = (): Target[] => {
  const { busy, poor, idle, unusedKey } = all;
  const entry = (where: string): Target => ({
    table: 'entries',
    where: `(r.transfer_id, r.type) = (select transfer_id, type from entries where ${where} order by account_id, seq limit 1)`,
  });
  const hold = (where: string): Target => ({
    table: 'holds',
    where: `r.transfer_id = (select transfer_id from holds where ${where} order by transfer_id limit 1)`,
  });
  const account = ({ account: id }: Customer): Target => ({ table: 'accounts', where: 'r.id = $1', values: [id] });
  const key = (id: string): Target => ({ table: 'api_keys', where: 'r.id = $1', values: [id] });
  return [
    entry(`type = 'credit'`),
    entry(`type = 'hold' and task_id is not null`),
    entry(`type = 'capture' and lines is not null`),
    entry(`account_id = '${busy.account}' and seq = (select seq from accounts where id = account_id)`),
    entry('link is null'),
    entry(`type = 'write_off'`),
    entry(`type = 'adjustment'`),
    hold(`state = 'held' and owner is null`),
    hold(`state = 'held' and owner is not null`),
    hold(`state = 'captured' and subject like 'req_%'`),
    hold(`state = 'released' and subject not like 'req_%'`),
    ...[busy, poor, idle].map(account),
    key(busy.key),
    key(unusedKey),
  ];
};

/** What other checks compare: what people set of accounts and keys, which the audit log says too. */
const notMoney: Readonly<Record<string, readonly string[]>> = {
  accounts: ['name', 'status', 'created_at', 'webhook_url', 'low_balance', 'time_zone'],
  api_keys: [
    ...['account_id', 'name', 'level', 'hash', 'seal', 'start', 'last4', 'models', 'call_limits', 'spend_limit'],
    ...['max_running_tasks', 'queue', 'expires_at', 'revoked_at', 'created_at', 'allowed_ips', 'created_by'],
    // Looked at only while `counted_at` lies in the future.
    'clock_back_at',
  ],
};

/** An account or key without money that is removed, added or renamed is known from the audit log alone. */
const hasNoMoney = ({ kind, column, row, table }: Tampering) =>
  (kind !== 'changed' || column === 'id') &&
  ((table === 'accounts' && row['seq'] === 0 && kind === 'removed') ||
    (table === 'api_keys' && row['calls_total'] === 0));

describe('a row changed by hand in any column, removed or added is reported by name:', () => {
  const names = [
    ...['a credit', `a task's hold`, `a call's capture`, 'the last entry', 'an entry without a link', 'a write-off'],
    ...['a correction', 'the hold of a task', 'the hold of an open call', 'the hold of a captured call'],
    ...['the hold of a released task', 'the busy account', 'the poor account', 'the idle account'],
    ...['the key that was used', 'the key that was not'],
  ];
  names.forEach((name, index) => {
    test(name, async () => {
      const target = targets()[index];
      assert.ok(target);
      const tamperings = await tamperingsOf(made, target, { except: notMoney[target.table] ?? [] });
      for (const tampering of tamperings.filter((each) => !hasNoMoney(each))) {
        await whileTampered(made, tampering, async () => {
          const words = wordsOf(await look());
          assert.ok(words.length > 0, `${tampering.says} was not found`);
          const culprits = namesOf(tampering);
          const isNamed = words.some((line) => culprits.some((culprit) => line.includes(culprit)));
          assert.ok(isNamed, `${tampering.says}: ${culprits.join(' or ')} is not named by\n${words.join('\n')}`);
        });
      }
      assert.deepEqual(wordsOf(await look()), []);
    });
  });

  test('the last entries of an account, cut off', async () => {
    const { account } = all.busy;
    const says = 'the last entries of an account';
    const text = `delete from entries where account_id = $1 and seq = (select max(seq) from entries where account_id = $1)`;
    await whileTampered(made, { says, table: 'entries', statements: [{ text, values: [account] }] }, async () => {
      assert.match(wordsOf(await look()).join('\n'), new RegExp(`${account}: entry \\d+ is missing at its end`));
    });
  });

  test('two legs of an entry, so that it still sums to zero', async () => {
    const text = `update entries r set d_revenue = d_revenue + 1, d_write_offs = d_write_offs - 1
      where (transfer_id, type) = (select transfer_id, type from entries where type = 'capture' limit 1)`;
    await whileTampered(made, { says: 'two legs', table: 'entries', statements: [{ text, values: [] }] }, async () => {
      assert.match(wordsOf(await look()).join('\n'), /\.capture: no capture moves that/);
    });
  });
});

/** What may be named as the culprit: the row itself, and for an entry its place in the account's order. */
function namesOf({ table, row }: Tampering): string[] {
  const text = (column: string) => String(row[column]);
  if (table === 'accounts' || table === 'api_keys') return [text('id')];
  if (table === 'holds') return [text('transfer_id'), otherUuid];
  return [`${text('transfer_id')}.`, `${otherUuid}.`, `entry ${text('seq')} is missing`];
}

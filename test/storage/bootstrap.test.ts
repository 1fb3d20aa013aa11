/** The first account of an empty database, with its key and its owner's login. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { micros } from '../../src/domain/money.ts';
import { createAccount, findAccount } from '../../src/accounts/accounts.ts';
import { listKeys } from '../../src/accounts/api-keys.ts';
import { bootstrap, type BootstrapTools, type BootstrapWishes } from '../../src/accounts/bootstrap.ts';
import { findCredentials, membershipsOf } from '../../src/accounts/people.ts';
import { GroupCommitter } from '../../src/ledger/commit/group-commit.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';

const ledgerKey = Buffer.alloc(32, 1);
const nothing: BootstrapWishes = { key: undefined, balance: micros(5_000_000n), email: undefined, password: undefined };

let made: TestDatabase;
let tools: BootstrapTools;
beforeEach(async () => {
  made = await freshDatabase();
  const { database } = made;
  tools = {
    database,
    ledgerKey,
    ledger: new Ledger(new GroupCommitter(database, ledgerKey)),
    hashPassword: (password) => Promise.resolve(`hash of ${password}`),
    makesUp: true,
  };
});
afterEach(() => made.drop());

test('a bootstrap without wishes makes up its secrets, and returns them once', async () => {
  const first = await bootstrap(tools, nothing);
  assert.match(first?.secret ?? '', /^sk-tg-/);
  assert.match(first?.login?.password ?? '', /^[\w-]{16}$/);
  const again = await bootstrap(tools, nothing);
  assert.deepEqual(again, { account: first?.account, secret: undefined, login: undefined });
});

test('the owner signs in as wished, and is the operator', async () => {
  const wishes = { ...nothing, email: 'me@example.com', password: 'my own password' };
  const first = await bootstrap(tools, wishes);
  assert.deepEqual(first?.login, { email: wishes.email, password: wishes.password });
  const known = await findCredentials(made.database, [ledgerKey], wishes.email);
  assert.deepEqual([known?.passwordHash, known?.person.isOperator], [`hash of ${wishes.password}`, true]);
  const accounts = await membershipsOf(made.database, known!.person.id);
  assert.deepEqual(
    accounts.map(({ accountId, role }) => [accountId, role]),
    [[first.account, 'owner']],
  );
});

test('a bootstrap whose output is not shown makes up no secret', async () => {
  const first = await bootstrap({ ...tools, makesUp: false }, { ...nothing, password: 'my own password' });
  assert.deepEqual([first?.secret, first?.login?.email], [undefined, 'owner@tollgate.local']);
  assert.deepEqual(await listKeys(made.database, first!.account), []);
  assert.equal((await findAccount(made.database, first!.account))?.available, 5_000_000n);
});

test('several processes at once make one account, one key and one owner', async () => {
  const all = await Promise.all([1, 2, 3].map(() => bootstrap(tools, nothing)));
  assert.equal(new Set(all.map((one) => one?.account)).size, 1);
  assert.equal(all.filter((one) => one?.secret !== undefined).length, 1);
  assert.equal(all.filter((one) => one?.login !== undefined).length, 1);
});

test('a database that has accounts gets neither account nor owner', async () => {
  await createAccount({ database: made.database, ledgerKey, actor: 'tollgate' }, 'existing');
  assert.equal(await bootstrap(tools, nothing), undefined);
});

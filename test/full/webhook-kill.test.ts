/** Processes that are killed after a task's end, or in the middle of a delivery: others deliver the event, and nothing secret is in any log. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { micros } from '../../src/domain/money.ts';
import { deriveKeys } from '../../src/config/secrets.ts';
import type { Administrator } from '../../src/ledger/audit-log.ts';
import { changeAccount, createAccount } from '../../src/accounts/accounts.ts';
import { tellFact } from '../../src/postgres/installation.ts';
import { GroupCommitter } from '../../src/ledger/commit/group-commit.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import { webhookSecrets } from '../../src/webhooks/webhook-secrets.ts';
import { createApiKey, noLimits } from '../../src/accounts/api-keys.ts';
import { freshDatabase, fromTestRun, type TestDatabase } from '../support/database.ts';
import { admissionOf, failureOf } from '../support/money.ts';
import { Installation, until } from '../support/process.ts';
import { openUpstream, type Upstream } from '../support/upstream.ts';
import { assertDelivery, eventsOf } from '../support/webhooks.ts';

const publicUrl = 'https://gate.example';
const secretText = 'a secret of the tests with 40 characters';
const keys = deriveKeys([secretText]);
let db: TestDatabase;
let home: Installation;
let receiver: Upstream;
let closeReceiver: () => Promise<void>;
before(async () => {
  db = await freshDatabase();
  home = await Installation.make({
    DATABASE_URL: db.url,
    TEMPORAL_ADDRESS: fromTestRun('TEMPORAL_ADDRESS'),
    TOLLGATE_SECRET: secretText,
    TOLLGATE_ALLOW_PRIVATE_URLS: 'true',
    LOG_LEVEL: 'debug',
  });
  // No worker has PUBLIC_URL here: links begin with the address that an API stored last.
  await tellFact(db.database, 'public_url', publicUrl);
  ({ upstream: receiver, close: closeReceiver } = await openUpstream());
});
after(async () => {
  await closeReceiver();
  await home.remove();
  await db.drop();
});

test('events of an account and of tasks whose worker is killed while the receiver hangs are delivered by another', async () => {
  const by: Administrator = { database: db.database, ledgerKey: keys.first.ledger, actor: 'tollgate' };
  const ledger = new Ledger(new GroupCommitter(db.database, keys.first.ledger));
  const { id: account } = await createAccount(by, 'test');
  const { key } = await createApiKey(by, account, { ...noLimits, name: 'test', level: 'standard' });
  await ledger.credit(account, micros(100n), 'for a test');
  const webhookUrl = `${receiver.url}/hook?token=of-the-customer`;
  await changeAccount(by, account, { webhookUrl, lowBalance: micros(100n) });
  const who = { account, key: key.id };
  const admitted = async () => {
    const answer = await ledger.admitTask(admissionOf(who, 10n));
    return answer.admitted === 'new' ? answer.taskId : assert.fail(answer.admitted);
  };
  const [cancelled, produced] = [await admitted(), await admitted()];
  // The process that ended this one died right after the commit; the worker finds the other and produces it.
  await ledger.releaseTask(failureOf(who, cancelled, 'cancelled'));
  await ledger.adjust(account, micros(-1n), 'for a test');
  receiver.answers({ ending: 'stall-before' });
  const idsReceived = () => receiver.requests.map(({ headers }) => String(headers['webhook-id']));
  const first = home.spawn(['worker']);
  await until('an attempt for each event', () => new Set(idsReceived()).size === 3 || undefined);
  first.signal('SIGKILL');
  await first.ended;

  receiver.answers({ status: 200, json: {} });
  const second = home.spawn(['worker']);
  const events = await until('the end of all events', async () => {
    const found = [
      ...(await eventsOf(db.database, account)),
      ...(await eventsOf(db.database, account, 'tasks')).sort((one, other) => one.type.localeCompare(other.type)),
    ];
    return found.every(({ delivered }) => delivered !== null) ? found : undefined;
  });
  assert.deepEqual(
    events.map(({ type, taskId, delivered, attempts }) => [type, taskId, delivered, attempts.at(-1)?.status]),
    [
      ['account.balance_low', null, true, 200],
      ['image.failed', cancelled, true, 200],
      ['image.succeeded', produced, true, 200],
    ],
  );
  const secrets = await webhookSecrets(db.database, keys, account);
  const delivered = receiver.requests.map((request) => assertDelivery(request, secrets));
  for (const { id } of events) assert.ok(delivered.filter((each) => each.id === id).length >= 2, 'each worker sent it');
  assert.deepEqual(new Set(idsReceived()), new Set(events.map(({ id }) => id)));
  const links = delivered.find(({ event }) => event.type === 'image.succeeded')?.event.data['data'];
  for (const { url } of links as { url: string }[]) assert.ok(url.startsWith(`${publicUrl}/files/`), url);
  await second.printed(/an event was delivered/);
  for (const { stdout, stderr } of [first, second]) {
    for (const word of ['token', '/hook', 'whsec_', receiver.url]) assert.ok(!(stdout + stderr).includes(word), word);
  }
});

/** A worker that is killed in the middle of a delivery: another one delivers the event, and nothing secret is in any log. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { micros } from '../../src/domain/money.ts';
import { deriveKeys } from '../../src/settings/secrets.ts';
import type { Administrator } from '../../src/storage/acts.ts';
import { changeAccount, createAccount } from '../../src/storage/accounts.ts';
import { LedgerGroups } from '../../src/storage/ledger/group.ts';
import { Ledger } from '../../src/storage/ledger/ledger.ts';
import { webhookSecrets } from '../../src/storage/webhook-secrets.ts';
import { freshDatabase, fromTestRun, type TestDatabase } from '../support/database.ts';
import { Installation, until } from '../support/process.ts';
import { openUpstream, type Upstream } from '../support/upstream.ts';
import { assertDelivery, eventsOf } from '../support/webhooks.ts';

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
  ({ upstream: receiver, close: closeReceiver } = await openUpstream());
});
after(async () => {
  await closeReceiver();
  await home.remove();
  await db.drop();
});

test('an event whose worker is killed while the receiver hangs is delivered by another', async () => {
  const by: Administrator = { database: db.database, ledgerKey: keys.first.ledger, actor: 'tollgate' };
  const ledger = new Ledger(new LedgerGroups(db.database, keys.first.ledger));
  const { id: account } = await createAccount(by, 'test');
  await ledger.credit(account, micros(100n), 'for a test');
  await changeAccount(by, account, {
    webhookUrl: `${receiver.url}/hook?token=of-the-customer`,
    lowBalance: micros(100n),
  });
  receiver.answers({ ending: 'stall-before' }, { status: 200, json: {} });
  const first = home.spawn(['worker']);
  await first.printed(/the worker runs/);
  await ledger.adjust(account, micros(-1n), 'for a test');
  await receiver.received(1);
  first.signal('SIGKILL');
  await first.ended;

  const second = home.spawn(['worker']);
  const event = await until('the end of the event', async () =>
    (await eventsOf(db.database, account)).find(({ delivered }) => delivered !== null),
  );
  assert.equal(event.delivered, true);
  assert.deepEqual(event.attempts, [{ attempt: 1, status: 200, fault: null }], 'nobody could note the first one');
  const secrets = await webhookSecrets(db.database, keys, account);
  assert.deepEqual(
    receiver.requests.map((request) => assertDelivery(request, secrets).id),
    [event.id, event.id],
  );
  await second.printed(/an event was delivered/);
  for (const { stdout, stderr } of [first, second]) {
    for (const word of ['token', '/hook', 'whsec_', receiver.url]) assert.ok(!(stdout + stderr).includes(word), word);
  }
});

/** A gateway in US dollars, from `tollgate start` to what its customers and their programs read; and that it stays in dollars. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { freshDatabase } from '../../support/database.ts';
import { administrator } from '../../support/money.ts';
import { createAccount } from '../../../src/accounts/accounts.ts';
import { checkCurrency, findCurrency } from '../../../src/runtime/check-currency.ts';
import { type Gateway, Installation, until } from '../../support/process.ts';
import { openUpstream, type Upstream } from '../../support/upstream.ts';

const owner = { email: 'owner@example.com', password: 'correct horse battery' };
const written = (currency: string) => `
${currency}
providers: { local: { kind: simulator } }
models:
  - { id: poster, kind: image, routes: [{ provider: local, model: sim-image }], price: { per_image: 0.25 } }
`;

let home: Installation;
let gateway: Gateway;
let receiver: Upstream;
let closeReceiver: () => Promise<void>;
before(async () => {
  home = await Installation.make({
    TOLLGATE_BOOTSTRAP_EMAIL: owner.email,
    TOLLGATE_BOOTSTRAP_PASSWORD: owner.password,
    TOLLGATE_BOOTSTRAP_BALANCE: '1',
    TOLLGATE_ALLOW_PRIVATE_URLS: 'true',
  });
  await writeFile(join(home.folder, 'tollgate.yaml'), written('currency: USD'));
  ({ upstream: receiver, close: closeReceiver } = await openUpstream());
  receiver.answers({ status: 204 });
  gateway = await home.start();
});
after(async () => {
  await home.remove();
  await closeReceiver();
});

const call = (path: string, init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {}) =>
  fetch(`${gateway.url}${path}`, {
    ...init,
    headers: { Authorization: `Bearer ${gateway.key ?? ''}`, 'Content-Type': 'application/json', ...init.headers },
  });
const post = (path: string, body: unknown) => call(path, { method: 'POST', body: JSON.stringify(body) });
const read = async (answer: Promise<Response>) => (await (await answer).json()) as Record<string, unknown>;
/** The first line and the others of a CSV, as cells. */
const csv = async (answer: Promise<Response>) => {
  const [head = [], ...lines] = (await (await answer).text())
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','));
  return { head, lines };
};

test('account, quote, refusals, statement, CSV, webhook, document and commands all say USD', async () => {
  const account = await read(call('/v1/account'));
  assert.deepEqual([account['currency'], account['balance']], ['USD', 1]);
  const id = String(account['id']);
  const settings = { webhook_url: `${receiver.url}/hook`, low_balance: 0.9 };
  assert.equal((await call('/v1/account', { method: 'PATCH', body: JSON.stringify(settings) })).status, 200);

  const poster = { model: 'poster', prompt: 'A toll gate' };
  const quote = await read(post('/v1/quotes', { path: '/images/generations', body: poster }));
  assert.deepEqual([quote['currency'], quote['hold']], ['USD', 0.25]);
  const refused = await read(post('/v1/images/generations', { ...poster, n: 5 }));
  const { message } = refused['error'] as { message: string };
  assert.match(message, /^Insufficient balance: this may cost up to 1\.25 USD, but only 1 USD is available\./);
  assert.equal((await post('/v1/images/generations', poster)).status, 200);

  const event = await until('the webhook of the low balance', () =>
    Promise.resolve(
      receiver.requests
        .map(({ body }) => JSON.parse(body.toString()) as { type: string; data: Record<string, unknown> })
        .find(({ type }) => type === 'account.balance_low'),
    ),
  );
  assert.deepEqual(event.data, { id, object: 'account', currency: 'USD', balance: 0.75, held: 0, low_balance: 0.9 });

  for (const path of ['/v1/account/ledger', '/v1/account/usage?group_by=model']) {
    const { head, lines } = await csv(call(path, { headers: { Accept: 'text/csv' } }));
    assert.equal(head.at(-1), 'currency');
    assert.ok(lines.length > 0 && lines.every((cells) => cells.at(-1) === 'USD'), path);
  }

  const signedIn = await call('/console/api/session', {
    method: 'POST',
    body: JSON.stringify(owner),
    headers: { Origin: gateway.url },
  });
  assert.equal(((await signedIn.clone().json()) as { currency: string }).currency, 'USD');
  const Cookie = signedIn.headers.get('Set-Cookie')?.split(';')[0] ?? '';
  const month = new Date().toISOString().slice(0, 7);
  const statement = (form: string) =>
    call(`/console/api/accounts/${id}/${form}?month=${month}`, { headers: { Cookie } });
  const paper = await read(statement('statement'));
  assert.deepEqual([paper['currency'], paper['charged']], ['USD', 0.25]);
  assert.ok((await csv(statement('statement.csv'))).lines.every((cells) => cells.at(-1) === 'USD'));
  const overview = await read(call(`/console/api/accounts/${id}/overview`, { headers: { Cookie } }));
  assert.deepEqual([overview['currency'], overview['balance']], ['USD', 0.75]);

  const document = await (await call('/openapi.json')).text();
  assert.match(document, /All amounts are in USD/);
  assert.doesNotMatch(document, /CNY/);
  assert.match(await (await call('/metrics')).text(), /^tollgate_build_info\{.*currency="USD".*\} 1$/m);

  const credited = await home.run(['accounts', 'credit', id, '2.5']);
  assert.deepEqual(credited, { code: 0, stdout: `${id}  demo  active  balance 3.25 USD, held 0 USD\n`, stderr: '' });
  assert.match((await home.run(['acts', 'list'])).stdout, /account\.credited 2\.5 USD/);
  assert.match((await home.run(['doctor'])).stdout, /^ok {4}currency +USD/m);
});

test('a reload, a command and a start in another currency are refused with both names and the way out', async () => {
  const refusal =
    "currency: this gateway's books are in USD since its first start, and can't change to CNY; " +
    "set 'currency: USD', or start a gateway in CNY with a database and data folder of its own";
  // What is not named is CNY.
  await writeFile(join(home.folder, 'tollgate.yaml'), written(''));
  gateway.running.signal('SIGHUP');
  await until('the refusal of the reload', () =>
    Promise.resolve(`${gateway.running.stdout}${gateway.running.stderr}`.includes(refusal) || undefined),
  );
  assert.equal((await read(call('/v1/account')))['currency'], 'USD');
  const command = await home.run(['accounts', 'list']);
  assert.notEqual(command.code, 0);
  assert.ok(command.stderr.includes(refusal), command.stderr);

  gateway.running.signal('SIGTERM');
  await gateway.running.ended;
  const { code, stderr, stdout } = await home.run(['start']);
  assert.notEqual(code, 0);
  assert.ok(`${stdout}${stderr}`.includes(refusal), stderr);

  await writeFile(join(home.folder, 'tollgate.yaml'), written('currency: USD'));
  gateway = await home.start();
});

test('a database that has accounts, from before there was the setting, is in CNY', async () => {
  const old = await freshDatabase();
  try {
    assert.equal(await findCurrency(old.database), undefined);
    await createAccount(administrator(old.database), 'old');
    await assert.rejects(checkCurrency(old.database, 'USD'), /in CNY since its first start, and can't change to USD/);
    await checkCurrency(old.database, 'CNY');
    assert.equal(await findCurrency(old.database), 'CNY');
  } finally {
    await old.drop();
  }
});

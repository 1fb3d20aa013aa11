/** What operators do with accounts: made, credited and corrected once, however often it is asked for, and logged in their name. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { auditEverything } from '../../../src/audit/whole-audit.ts';
import { fromTestRun } from '../../support/database.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { callConsole, type ConsoleAnswer, type ConsoleClient, signedIn } from '../../support/people.ts';

let gateway: TestGateway;
let operator: ConsoleClient;
before(async () => {
  gateway = await startTestGateway({ worker: false });
  operator = await signedIn(gateway, { memberships: [], isOperator: true });
});
after(() => gateway.stop());

type Record_ = Record<string, unknown>;
const post = (path: string, body: unknown) => operator.call('POST', path, body);
const codeOf = ({ status, body }: ConsoleAnswer) => [status, (body['error'] as Record_ | undefined)?.['code']];
const accountOf = ({ status, body }: ConsoleAnswer): Record_ => {
  assert.equal(status, 200, JSON.stringify(body));
  return body['account'] as Record_;
};
const made = async (more: Record_ = {}) => {
  const account = accountOf(await post('/operator/accounts', { request: randomUUID(), name: 'Ada & Co', ...more }));
  return String(account['id']);
};
const good = (): Record_ => ({ request: randomUUID(), name: 'x' });
const entriesOf = async (id: string): Promise<unknown[][]> => {
  const { rows } = await gateway.core.database.pool.query<{ type: string; d_available: bigint; reason: string }>(
    'select type, d_available, reason from entries where account_id = $1 order by seq',
    [id],
  );
  return rows.map(({ type, d_available, reason }) => [type, d_available, reason]);
};

describe('making an account', () => {
  test('gives it its money and its owner a link, under the operator’s name', async () => {
    const wanted = { request: randomUUID(), name: ' <b>Eve</b> ', balance: '12.5', owner_email: 'Eve@Example.com' };
    const { status, body } = await post('/operator/accounts', wanted);
    assert.equal(status, 200, JSON.stringify(body));
    const account = body['account'] as Record_;
    const link = body['link'] as Record_;
    assert.deepEqual(
      [account['name'], account['balance'], account['held'], account['status'], account['keys'], account['members']],
      ['<b>Eve</b>', 12.5, 0, 'active', 0, 0],
    );
    assert.deepEqual([link['email'], link['role'], link['account_name']], ['eve@example.com', 'owner', '<b>Eve</b>']);
    const token = String(link['token']);
    const accepted = await callConsole(gateway, '', 'POST', '/invitations/accept', { token, password: 'long enough' });
    assert.equal(accepted.status, 200);
    const now = (await operator.get(`/operator/accounts/${String(account['id'])}`)).body;
    assert.equal(now['members'], 1);
    const acts = (await operator.get(`/operator/acts?account=${String(account['id'])}`)).body['data'] as Record_[];
    assert.deepEqual(
      acts.map(({ action, actor }) => [action, (actor as Record_)['name']]),
      [
        ['person.joined', null],
        ['person.invited', operator.person.email],
        ['account.credited', operator.person.email],
        ['account.created', operator.person.email],
      ],
    );
    assert.equal(acts[2]?.['amount'], 12.5);
  });

  test('once, when its form is sent twice at once and again, and never as another', async () => {
    const wanted = { request: randomUUID(), name: 'Once', balance: 3 };
    const answers = await Promise.all([post('/operator/accounts', wanted), post('/operator/accounts', wanted)]);
    const again = await post('/operator/accounts', wanted);
    const [id, ...others] = [...answers, again].map((answer) => accountOf(answer)['id']);
    assert.deepEqual(others, [id, id]);
    assert.equal(accountOf(again)['balance'], 3);
    assert.deepEqual(await entriesOf(String(id)), [['credit', 3_000_000n, 'opening balance']]);
    for (const changed of [{ name: 'Another' }, { balance: 4 }])
      assert.deepEqual(codeOf(await post('/operator/accounts', { ...wanted, ...changed })), [
        409,
        'idempotency_key_reused',
      ]);
  });

  test('is refused without a name, with an address that is none and with an amount that is none', async () => {
    for (const [wrong, param] of [
      [{ name: ' ' }, 'name'],
      [{ name: 'x'.repeat(201) }, 'name'],
      [{ name: 'a\0b' }, 'name'],
      [{ owner_email: 'no-address' }, 'owner_email'],
      [{ balance: 0 }, 'balance'],
      [{ request: 'mine' }, 'request'],
      [{ more: 1 }, 'more'],
    ] as const) {
      const { status, body } = await post('/operator/accounts', { ...good(), ...wrong });
      assert.deepEqual([status, (body['error'] as Record_)['param']], [400, param], JSON.stringify(wrong));
    }
  });
});

describe('money', () => {
  test('is credited once by a request, sent twenty times at once and again', async () => {
    const id = await made();
    const wanted = { request: randomUUID(), amount: '0.1', reason: 'a gift' };
    const credit = () => post(`/operator/accounts/${id}/credits`, wanted);
    const answers = await Promise.all(Array.from({ length: 20 }, credit));
    const again = await credit();
    assert.deepEqual([accountOf(again)['balance'], again.body['is_new']], [0.1, false]);
    assert.equal(answers.filter(({ body }) => body['is_new'] === true).length, 1);
    assert.deepEqual(await entriesOf(id), [['credit', 100_000n, 'a gift']]);
    for (const changed of [{ amount: '0.2' }, { reason: 'another' }])
      assert.deepEqual(codeOf(await post(`/operator/accounts/${id}/credits`, { ...wanted, ...changed })), [
        409,
        'idempotency_key_reused',
      ]);
    assert.deepEqual(codeOf(await post(`/operator/accounts/${id}/adjustments`, wanted)), [
      409,
      'idempotency_key_reused',
    ]);
    await credit();
    const other = await made();
    assert.equal(accountOf(await post(`/operator/accounts/${other}/credits`, wanted))['balance'], 0.1);
    const more = await post(`/operator/accounts/${id}/credits`, { ...wanted, request: randomUUID() });
    assert.equal(accountOf(more)['balance'], 0.2);
  });

  test('is credited once over several processes at once', async () => {
    const other = await startOther();
    try {
      const id = await made();
      const wanted = { request: randomUUID(), amount: 5, reason: 'paid' };
      const path = `/operator/accounts/${id}/credits`;
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, at) =>
          callConsole(at % 2 === 0 ? gateway : other, operator.cookie, 'POST', path, wanted),
        ),
      );
      assert.equal(answers.filter(({ body }) => body['is_new'] === true).length, 1);
      assert.deepEqual(await entriesOf(id), [['credit', 5_000_000n, 'paid']]);
    } finally {
      await other.stop();
    }
  });

  test('is corrected up and down, never below nothing; a correction refused may be asked for again', async () => {
    const id = await made({ balance: 10 });
    const adjust = (amount: unknown, request: string = randomUUID()) =>
      post(`/operator/accounts/${id}/adjustments`, { request, amount, reason: 'a fault' });
    assert.equal(accountOf(await adjust(1.5))['balance'], 11.5);
    assert.equal(accountOf(await adjust('-11'))['balance'], 0.5);
    const request = randomUUID();
    const refused = await adjust('-0.500001', request);
    assert.deepEqual(codeOf(refused), [402, 'insufficient_balance']);
    assert.match(JSON.stringify(refused.body), /The account has only 0\.5 CNY available; -0\.500001 exceeds that\./);
    await post(`/operator/accounts/${id}/credits`, { request: randomUUID(), amount: 1, reason: 'more' });
    assert.equal(accountOf(await adjust('-0.500001', request))['balance'], 0.999999);
    assert.equal((await entriesOf(id)).length, 5);
  });

  test('is read digit by digit: what is no amount of whole micro-units is refused, and so is a missing reason', async () => {
    const id = await made();
    const amounts = [
      0,
      -1,
      '0',
      '-1',
      1e-7,
      '0.0000001',
      1e9,
      '1000000000',
      '1e3',
      '1,5',
      '',
      ' ',
      null,
      true,
      0.1 + 0.2,
    ];
    for (const amount of amounts) {
      const body = { request: randomUUID(), amount, reason: 'x' };
      const { status, body: refused } = await post(`/operator/accounts/${id}/credits`, body);
      assert.deepEqual([status, (refused['error'] as Record_)['param']], [400, 'amount'], String(amount));
    }
    for (const reason of [undefined, '', '  ', 'x'.repeat(501)]) {
      const body = { request: randomUUID(), amount: 1, ...(reason !== undefined && { reason }) };
      const { status, body: refused } = await post(`/operator/accounts/${id}/credits`, body);
      assert.deepEqual([status, (refused['error'] as Record_)['param']], [400, 'reason'], reason);
    }
    assert.deepEqual(await entriesOf(id), []);
    const most = { request: randomUUID(), amount: '999999999.999999', reason: 'all of it' };
    assert.equal(accountOf(await post(`/operator/accounts/${id}/credits`, most))['balance'], 999999999.999999);
  });
});

describe('an account', () => {
  test('is suspended and resumed with a reason, and its keys with it', async () => {
    const id = await made({ balance: 1 });
    const { key } = await gateway.newKeyOf(id as TestGateway['account'], { level: 'read' });
    const asked = async () => (await gateway.fetch('/v1/account', { key })).status;
    assert.equal(await asked(), 200);
    const suspended = await post(`/operator/accounts/${id}/suspend`, { reason: 'owes' });
    assert.deepEqual([suspended.status, suspended.body['status']], [200, 'suspended']);
    const listed = await operator.get(`/operator/accounts?status=suspended&search=${id}`);
    assert.equal((listed.body['data'] as unknown[]).length, 1);
    assert.equal((await post(`/operator/accounts/${id}/resume`, { reason: 'paid' })).body['status'], 'active');
    const acts = (await operator.get(`/operator/acts?account=${id}&limit=2`)).body['data'] as Record_[];
    assert.deepEqual(
      acts.map(({ action, reason }) => [action, reason]),
      [
        ['account.resumed', 'paid'],
        ['account.suspended', 'owes'],
      ],
    );
  });

  test('has its webhook and threshold set and cleared', async () => {
    const id = await made();
    const change = (body: unknown) => operator.call('PATCH', `/operator/accounts/${id}`, body);
    const set = await change({ webhook_url: 'https://example.com/hook', low_balance: 2.5 });
    assert.deepEqual([set.body['webhook_url'], set.body['low_balance']], ['https://example.com/hook', 2.5]);
    const cleared = await change({ webhook_url: null });
    assert.deepEqual([cleared.body['webhook_url'], cleared.body['low_balance']], [null, 2.5]);
    assert.deepEqual(codeOf(await change({ webhook_url: 'ftp://example.com' })), [400, 'invalid_parameter']);
  });

  test('that is not there is 404 to every call', async () => {
    const none = `acc_${'0'.repeat(32)}`;
    const booking = { request: randomUUID(), amount: 1, reason: 'x' };
    for (const id of [none, 'nothing', 'acc_'])
      for (const [method, path, body] of [
        ['GET', '', undefined],
        ['PATCH', '', { low_balance: 1 }],
        ['POST', '/credits', booking],
        ['POST', '/adjustments', booking],
        ['POST', '/suspend', { reason: 'x' }],
        ['POST', '/resume', { reason: 'x' }],
      ] as const)
        assert.deepEqual(codeOf(await operator.call(method, `/operator/accounts/${id}${path}`, body)), [
          404,
          'route_not_found',
        ]);
  });
});

test('the list is read by pages without a gap, and searched by name and id as they stand', async () => {
  const ids: string[] = [];
  for (const name of ['100%_x one', '100%_x two', '100%_X three', '100y_x']) ids.push(await made({ name }));
  const read = async (query: string) => (await operator.get(`/operator/accounts?${query}`)).body;
  const found: unknown[] = [];
  for (let cursor = ''; ;) {
    const page = await read(`limit=1&search=${encodeURIComponent('100%_x')}${cursor}`);
    found.push(...(page['data'] as Record_[]).map(({ id }) => id));
    if (page['has_more'] !== true) break;
    cursor = `&cursor=${String(page['next_cursor'])}`;
  }
  assert.deepEqual(found, ids.slice(0, 3).reverse());
  const byId = (await read(`search=${ids[3] ?? ''}`))['data'] as Record_[];
  assert.deepEqual(
    byId.map(({ name }) => name),
    ['100y_x'],
  );
  for (const wrong of ['cursor=x', 'limit=0', 'limit=101', 'status=gone', 'search=', 'more=1'])
    assert.equal((await operator.get(`/operator/accounts?${wrong}`)).status, 400, wrong);
});

// Last: it looks at all that the tests before it did.
test('after all this the audit finds that everything agrees', async () => {
  const { database, blobs, secrets, fetchWindowMs } = gateway.core;
  const ledgerKeys = secrets.all.map(({ ledger }) => ledger);
  const report = await auditEverything({ database, blobs, ledgerKeys, temporal: 'left_out', fetchWindowMs });
  assert.deepEqual(report.findings, []);
});

/** Another API process's worth of ledger and application on the same database. */
async function startOther(): Promise<TestGateway> {
  const temporalAddress = fromTestRun('TEMPORAL_ADDRESS');
  return startTestGateway({ worker: false, servers: { databaseUrl: gateway.databaseUrl, temporalAddress } });
}

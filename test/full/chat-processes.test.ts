/** Two API processes over one database: limits and keys hold over both, and what one held when it died comes back. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AccountId } from '../../src/domain/ids.ts';
import { parseAmount } from '../../src/domain/money.ts';
import type { NewApiKey } from '../../src/accounts/api-keys.ts';
import { CallLedger } from '../../src/ledger/call-ledger.ts';
import { Owner } from '../../src/ledger/sweep.ts';
import { type ApiProcess, type ApiProcesses, startApiProcesses } from '../support/api-processes.ts';
import { hello, messagesPath } from '../support/chat-gateway.ts';
import { assertError } from '../support/errors.ts';
import { type Answer, answerOf } from '../support/gateway.ts';
import { assertLedgerAddsUp } from '../support/money.ts';
import { until } from '../support/process.ts';
import {
  chatAnswer,
  deltaEvent,
  messageStartEvent,
  openUpstream,
  textDeltaEvent,
  type Upstream,
} from '../support/upstream.ts';

const stream = { ...hello, stream: true };
/** What a call of `hello` holds, in the gateway's currency: its bytes by two, and 4,096 tokens of output. */
const holdOf = (body: unknown) => (Math.ceil(JSON.stringify(body).length / 2) + 4096) / 1000;

let upstream: Upstream;
let closeUpstream: () => Promise<void>;
let made: ApiProcesses;
let [one, other]: ApiProcess[] = [];
before(async () => {
  ({ upstream, close: closeUpstream } = await openUpstream());
  made = await startApiProcesses(2, upstream.url);
  [one, other] = made.apis;
});
after(async () => {
  await made.stop();
  await closeUpstream();
});

/** So many calls at once, every other one to the other process. */
const spread = (count: number, headers: Record<string, string>): Promise<Answer>[] =>
  Array.from({ length: count }, async (_, at) => {
    const api = (at % 2 ? one : other) ?? assert.fail('there is none');
    return answerOf(await api.open(headers, hello));
  });

/** Amounts that are available, once nothing of the account is held. */
async function balanceOf(account: AccountId): Promise<number> {
  return until('the end of its holds', async () => {
    const { rows } = await made.database.pool.query<{ available: bigint; held: bigint }>(
      'select available, held from accounts where id = $1',
      [account],
    );
    return rows[0]?.held === 0n ? Number(rows[0].available) / 1e6 : undefined;
  });
}

const limits: [what: string, balance: string, limits: Partial<NewApiKey>, admitted: number, code: string][] = [
  ['a call limit of 17', '1000', { callLimits: [{ calls: 17, per: 'total' }] }, 17, 'call_limit_exceeded'],
  ['money for nine', String(holdOf(hello) * 9), {}, 9, 'insufficient_balance'],
  [
    'a spend limit for five',
    '1000',
    { spendLimit: { amount: parseAmount(String(holdOf(hello) * 5)) ?? assert.fail('no amount'), per: 'total' } },
    5,
    'spend_limit_exceeded',
  ],
];
for (const [what, balance, limit, admitted, code] of limits) {
  test(`of forty calls at once over both, ${what} admits ${admitted}, and the upstream sees no other`, async () => {
    const customer = await made.newCustomer(balance, limit);
    const before = upstream.requests.length;
    let go = () => {};
    const answered = new Promise<void>((resolve) => (go = resolve));
    const json = JSON.stringify(chatAnswer('Hi').json);
    upstream.answers({ headers: { 'content-type': 'application/json' }, pieces: [answered, json] });
    // All holds stay open until every call was decided: what a settlement gives back would admit more.
    const calls = spread(40, customer.headers);
    let decided = 0;
    for (const call of calls) void call.then(() => decided++);
    await until('the refusals', () => (decided === 40 - admitted ? true : undefined));
    go();
    const answers = await Promise.all(calls);
    const refused = answers.filter(({ status }) => status !== 200);
    assert.equal(refused.length, 40 - admitted);
    for (const answer of refused) assertError(answer, code);
    assert.equal(upstream.requests.length, before + admitted);
    assert.equal(await balanceOf(customer.account), Number((Number(balance) - admitted * 0.012).toFixed(6)));
  });
}

test('fifty calls at once under one Idempotency-Key, spread over both, are one call and fifty equal answers', async () => {
  const customer = await made.newCustomer('1000');
  const before = upstream.requests.length;
  let go = () => {};
  const answered = new Promise<void>((resolve) => (go = resolve));
  const json = JSON.stringify(chatAnswer('Hi').json);
  upstream.answers({ headers: { 'content-type': 'application/json' }, pieces: [answered, json] });
  const calls = spread(50, { ...customer.headers, 'Idempotency-Key': 'once' });
  await upstream.received(before + 1);
  go();
  const answers = await Promise.all(calls);
  for (const { status, body } of answers) assert.deepEqual([status, body], [200, chatAnswer('Hi').json]);
  assert.equal(answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true').length, 49);
  assert.equal(upstream.requests.length, before + 1);
  assert.equal(await balanceOf(customer.account), 999.988);
});

test('what a process held when it was killed is released by another one, with the reason, and its keys are free', async () => {
  const customer = await made.newCustomer('1000');
  assert.ok(one && other);
  const [dying, living] = [one, other];
  const before = upstream.requests.length;
  upstream.answers({ pieces: [deltaEvent('Hello')], ending: 'stall' });
  const streams = await Promise.all(Array.from({ length: 5 }, () => dying.open(customer.headers, stream)));
  upstream.answers({ pieces: [messageStartEvent(), textDeltaEvent('Hello')], ending: 'stall' });
  streams.push(await dying.open(customer.headers, { ...stream, max_tokens: 100 }, messagesPath));
  upstream.answers({ ending: 'stall-before' });
  const keyed = { ...customer.headers, 'Idempotency-Key': 'orphaned' };
  const lost = dying.open(keyed, hello).catch((error: unknown) => error);
  await upstream.received(before + 7);
  const waiting = living.open(keyed, hello);
  assert.equal(await openHolds(customer.account), 7);
  dying.running.signal('SIGKILL');
  await dying.running.ended;
  assert.ok((await lost) instanceof Error);
  for (const { body } of streams) await assert.rejects(new Response(body).text());

  // A lease of a minute would be waited out by the living process; here an owner with a lease of a second sweeps.
  await made.database.pool.query(
    `update owners set expires_at = clock_timestamp() where id in (select owner from holds where account_id = $1)`,
    [customer.account],
  );
  const errors: unknown[] = [];
  const sweeper = new Owner({
    database: made.database,
    calls: new CallLedger(made.groups),
    onError: (error) => errors.push(error),
    onSwept: () => undefined,
    times: { renewalMs: 100, leaseSeconds: 1, admitsMsMax: 500, streamsMsMax: 800, sweepEveryMs: 50 },
  });
  await sweeper.open();
  assert.equal(await balanceOf(customer.account), 1000);
  await sweeper.close();
  const { rows } = await made.database.pool.query<{ type: string; reason: string | null }>(
    `select type, reason from entries where account_id = $1 and type not in ('credit', 'hold')`,
    [customer.account],
  );
  assert.deepEqual(
    rows.map(({ type, reason }) => `${type} ${reason}`),
    Array.from({ length: 7 }, () => 'release owner_lost'),
  );
  assert.deepEqual(errors, []);
  assertError(await answerOf(await waiting), 'upstream_error');
  upstream.answers(chatAnswer('Hi'));
  assert.equal((await living.open(keyed, hello)).status, 200);
  assert.equal(upstream.requests.length, before + 8);
});

test('the ledger adds up', () => assertLedgerAddsUp(made.database, made.ledgerKey));

/** Holds that are open now. */
async function openHolds(account: AccountId): Promise<number> {
  const { rowCount } = await made.database.pool.query(`select 1 from holds where account_id = $1 and state = 'held'`, [
    account,
  ]);
  return rowCount ?? 0;
}

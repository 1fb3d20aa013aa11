/** The console's table of usage: by one dimension or two, the largest and all others, of an account and of all. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AccountId, KeyId } from '../../../src/domain/ids.ts';
import type { RequestRecord } from '../../../src/request-records/request-record.ts';
import { linesOf, writeEntries } from '../../support/entries.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { type ConsoleClient, signedIn } from '../../support/people.ts';
import { until } from '../../support/process.ts';
import { writeRecords } from '../../support/request-groups.ts';

let gateway: TestGateway;
let operator: ConsoleClient;
before(async () => {
  gateway = await startTestGateway({ worker: false });
  operator = await signedIn(gateway, { memberships: [], isOperator: true });
});
after(() => gateway.stop());

interface Head {
  id: string;
  name: string | null;
  others: boolean;
}
interface Table {
  columns: Head[];
  rows: (Head & { sums: Record<string, number | null>; values: (number | null)[] })[];
  total: { sums: Record<string, number | null>; values: (number | null)[] };
}

async function tableOf(client: ConsoleClient, path: string): Promise<Table> {
  const { status, body } = await client.get(path);
  assert.equal(status, 200, JSON.stringify(body));
  return body as unknown as Table;
}

const now = Date.now();
const minutesAgo = (minutes: number) => new Date(now - minutes * 60_000);

interface Made {
  model?: string;
  user?: string;
  tag?: string;
  /** In micro-units; undefined: nothing was charged. */
  revenue?: number;
  cost?: number;
  status?: number;
  latencyMs?: number;
  ago?: number;
}

/** Requests with their captures, as calls leave them. */
async function make(account: AccountId, key: string, made: readonly Made[]) {
  const { database } = gateway.core;
  const keyId = key as KeyId;
  const all = made.map((one, at) => ({ ago: 5, model: 'chat', ...one, requestId: `req_of_${account}_${at}` }));
  await writeRecords(
    database,
    all.map(({ requestId, model, user, tag, status = 200, latencyMs = 100, ago }): RequestRecord => ({
      ...{ createdAt: minutesAgo(ago), accountId: account, keyId, requestId, method: 'POST', path: '/v1/x', model },
      ...{ status, code: undefined, latencyMs, firstTokenMs: undefined, isStream: false, provider: 'one' },
      ...{ attempts: undefined, inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, cost: undefined },
      ...{ taskId: undefined, endUser: user, tag, client: undefined },
    })),
  );
  const charged = all.filter(({ revenue }) => revenue !== undefined);
  await writeEntries(
    database,
    account,
    charged.map(({ requestId, model, revenue, cost, ago }) => ({
      ...{ requestId, model, key: keyId, provider: 'one', lines: linesOf({ input: 2, output: 3 }) },
      ...{ createdAt: minutesAgo(ago).toISOString(), admittedAt: minutesAgo(ago).toISOString() },
      ...(revenue !== undefined && { revenue }),
      ...(cost !== undefined && { cost }),
    })),
  );
}

async function customer(made: readonly Made[]) {
  const { account, keyId } = await gateway.newKey({ balance: '1', name: 'of the shop' });
  await make(account, keyId, made);
  const owner = await signedIn(gateway, { memberships: [{ account, role: 'owner' }] });
  return {
    account,
    keyId,
    owner,
    table: (query: string) => tableOf(owner, `/accounts/${account}/usage-table?${query}`),
  };
}

const cells = ({ rows }: Table) => rows.map(({ id, values }) => [id, ...values]);

test('cost by end user and tag is the ledger, what names none included', async () => {
  const { table } = await customer([
    { user: 'ann', tag: 'search', revenue: 3_000_000 },
    { user: 'ann', revenue: 1_000_000 },
    { user: 'bob', tag: 'search', revenue: 2_000_000 },
    { revenue: 500_000 },
    { user: 'bob', status: 429 },
  ]);
  const byBoth = await table('group=user&by=tag&metric=cost');
  assert.deepEqual(
    byBoth.columns.map(({ id }) => id),
    ['search', ''],
  );
  assert.deepEqual(cells(byBoth), [
    ['ann', 3, 1],
    ['bob', 2, null],
    ['', null, 0.5],
  ]);
  assert.deepEqual([byBoth.total.values, byBoth.total.sums['cost']], [[5, 1.5], 6.5]);
  const [ann] = (await table('group=user&metric=cost')).rows;
  assert.deepEqual(ann, {
    ...{ id: 'ann', name: null, others: false, values: [] },
    sums: { calls: 2, input_tokens: 4, output_tokens: 6, images: 0, seconds: 0, tokens: 10, cost: 4 },
  });
});

test('a request id that was sent again counts no charge twice', async () => {
  const { account, keyId, table } = await customer([{ user: 'ann', revenue: 1_000_000 }]);
  await make(account, keyId, [{ user: 'ann', status: 409 }]);
  assert.deepEqual((await table('group=user&metric=cost')).total.sums['cost'], 1);
});

test('errors and latency are those of the requests, refused ones too', async () => {
  const { table } = await customer([
    { model: 'chat', latencyMs: 10 },
    { model: 'chat', latencyMs: 40 },
    { model: 'chat', latencyMs: 20 },
    { model: 'chat', status: 502, latencyMs: 9_000 },
    { model: 'image', status: 429 },
  ]);
  assert.deepEqual(
    (await table('group=model&metric=errors')).rows.map(({ id, sums }) => [id, sums]),
    [
      ['chat', { requests: 4, errors: 1, median_ms: 20, p95_ms: 40 }],
      ['image', { requests: 1, errors: 1, median_ms: null, p95_ms: null }],
    ],
  );
  assert.deepEqual(cells(await table('group=model&by=key&metric=latency')), [
    ['chat', 20],
    ['image', null],
  ]);
});

test('the median and the 95th percentile of all are not those of the groups, and are right within one percent', async () => {
  const made = (model: string, from: number) =>
    Array.from({ length: 100 }, (_, at): Made => ({ model, latencyMs: from + ((at * 7919) % 100) * 10 }));
  const { table } = await customer([...made('slow', 9_010), ...made('quick', 110)]);
  const assertAbout = (sums: Record<string, unknown>, expected: { median_ms: number; p95_ms: number }) => {
    for (const [name, value] of Object.entries(expected)) {
      const about = Number(sums[name]);
      assert.ok(Math.abs(about - value) <= value / 100 + 0.5, `${name}: ${about}, not about ${value}`);
    }
  };
  const { rows, total } = await table('group=model&by=key&metric=p95');
  assert.deepEqual(
    rows.map(({ id, sums, values }) => [id, values[0] === sums['p95_ms']]),
    [
      ['quick', true],
      ['slow', true],
    ],
  );
  assertAbout(rows[0]?.sums ?? {}, { median_ms: 600, p95_ms: 1_050 });
  assertAbout(rows[1]?.sums ?? {}, { median_ms: 9_500, p95_ms: 9_950 });
  assertAbout(total.sums, { median_ms: 1_100, p95_ms: 9_900 });
  const [none] = [await table('group=model&metric=latency&from=2020-01-01&to=2020-01-02')];
  assert.deepEqual(none.total.sums, { requests: 0, errors: 0, median_ms: null, p95_ms: null });
});

test('hours, days and months are of UTC and come in their order, with the names of keys as columns', async () => {
  const { keyId, table } = await customer([
    { revenue: 1_000_000, ago: 60 },
    { revenue: 2_000_000, ago: 0 },
  ]);
  const hours = await table('group=hour&by=key');
  const hourOf = (minutes: number) => `${minutesAgo(minutes).toISOString().slice(0, 13)}:00:00+00:00`;
  assert.deepEqual(cells(hours), [
    [hourOf(60), 1],
    [hourOf(0), 2],
  ]);
  assert.deepEqual(hours.columns, [{ id: keyId, name: 'of the shop', others: false }]);
  for (const [group, length] of [
    ['day', 10],
    ['month', 7],
  ] as const) {
    const ids = (await table(`group=${group}`)).rows.map(({ id }) => id);
    const expected = [60, 0].map((minutes) => minutesAgo(minutes).toISOString().slice(0, length));
    assert.deepEqual(ids, [...new Set(expected)]);
  }
  for (const metric of ['errors', 'latency'])
    assert.deepEqual((await table(`group=hour&metric=${metric}`)).rows.length, 2);
});

test('beyond 50 rows and 6 columns there are others, and the sums stay true; the file has them all', async () => {
  const made = Array.from({ length: 60 }, (_, n) => ({ user: `u${n}`, tag: `t${n % 9}`, revenue: 1_000_000 + n }));
  const { account, owner, table } = await customer(made);
  const shown = await table('group=user&by=tag');
  assert.equal(shown.rows.length, 51);
  assert.deepEqual(
    shown.columns.map(({ others }) => others),
    [...Array.from({ length: 6 }, () => false), true],
  );
  assert.deepEqual([shown.rows.at(-1)?.others, shown.rows.at(-1)?.sums['calls']], [true, 10]);
  const sum = (values: (number | null | undefined)[]) =>
    values.reduce<number>((all, one) => all + Math.round((one ?? 0) * 1e6), 0);
  assert.equal(sum(shown.rows.map(({ sums }) => sums['cost'])), 60 * 1_000_000 + (59 * 60) / 2);
  assert.equal(sum(shown.rows.flatMap(({ values }) => values)), sum(shown.total.values));
  const answer = await fetch(`${gateway.url}/console/api/accounts/${account}/usage-table.csv?group=user&by=tag`, {
    headers: { Cookie: owner.cookie },
  });
  assert.match(answer.headers.get('content-disposition') ?? '', /filename="tollgate-usage-by-user-/);
  const lines = (await answer.text()).trim().split('\r\n');
  assert.equal(lines.length, 61);
  assert.equal(lines[0], 'user,tag,calls,input_tokens,output_tokens,images,seconds,tokens,cost,currency');
  assert.equal(lines[1], 'u59,t5,1,2,3,0,0,5,1.000059,CNY');
});

test('an account without requests has an empty table', async () => {
  const { table } = await customer([]);
  for (const metric of ['cost', 'errors']) {
    const { rows, total } = await table(`group=day&by=model&metric=${metric}`);
    assert.deepEqual([rows, total.values, total.sums['cost'] ?? total.sums['errors']], [[], [], 0]);
  }
});

test('operators see all accounts with cost and margin, by account too', async () => {
  const { account } = await customer([
    { user: 'ann', tag: 'only', revenue: 2_000_000, cost: 500_000 },
    { revenue: 1_000_000 },
  ]);
  const ofAll = (query: string) => tableOf(operator, `/operator/usage-table?${query}`);
  const row = (await ofAll('group=account&metric=margin')).rows.find(({ id }) => id === account);
  assert.ok(row);
  assert.deepEqual(row.sums, {
    ...{ calls: 2, input_tokens: 4, output_tokens: 6, images: 0, seconds: 0, tokens: 10, cost: 0.5 },
    ...{ calls_without_cost: 1, revenue: 3, revenue_without_cost: 1, written_off: 0, margin: 1.5 },
  });
  const tags = await ofAll('group=tag&by=account&metric=revenue');
  const at = tags.columns.findIndex(({ id }) => id === account);
  assert.equal(tags.rows.find(({ id }) => id === 'only')?.values[at], 2);
  for (const group of ['hour', 'day', 'month', 'provider'])
    for (const metric of ['revenue', 'errors'])
      assert.ok((await ofAll(`group=${group}&metric=${metric}`)).rows.length > 0);
});

for (const [query, param] of [
  ['group=week', 'group'],
  ['group=day&by=hour', 'by'],
  ['group=user&by=user', 'by'],
  ['group=day&metric=margin', 'metric'],
  ['group=day&from=2026-02-02&to=2026-02-01', 'to'],
  ['group=day&from=2024-01-01&to=2026-02-01', 'from'],
  ['group=hour&from=2026-01-01&to=2026-02-02', 'from'],
  ['group=account', 'group'],
])
  test(`${query} is refused`, async () => {
    const { account, owner } = await customer([]);
    const { status, body } = await owner.get(`/accounts/${account}/usage-table?${query}`);
    assert.deepEqual([status, (body['error'] as { param: unknown }).param], [400, param]);
  });

test('a sum that takes the database too long is refused with the way out, and is no error that passes', async () => {
  const { account, owner } = await customer([]);
  const { pool } = gateway.core.database;
  const other = await pool.connect();
  try {
    await other.query('begin');
    await other.query('lock table requests');
    const answer = owner.get(`/accounts/${account}/usage-table?group=user&metric=errors`);
    await until('the sum to wait, and to be ended as one is that takes too long', async () => {
      const { rowCount } = await pool.query(
        `select pg_cancel_backend(pid) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      );
      return (rowCount ?? 0) > 0 ? true : undefined;
    });
    const { status, body } = await answer;
    const { message, param } = body['error'] as { message: string; param: unknown };
    assert.deepEqual([status, param], [400, 'from']);
    assert.equal(message, 'These are too many calls to sum up at once: choose a shorter range.');
  } finally {
    await other.query('rollback');
    other.release();
  }
});

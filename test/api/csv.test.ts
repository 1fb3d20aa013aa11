/** Ledger and usage as CSV: when it is answered, what is in it, and that a broken one can't be taken for whole. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { csvHeader, csvLine } from '../../src/api/presenters/csv.ts';
import { linesOf, writeEntries } from '../support/entries.ts';
import { bearer, sharedTestGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await sharedTestGateway();
});
after(() => gateway.stop());

const ask = (key: string, path: string, accept?: string, method = 'GET') =>
  gateway.fetch(path, { method, headers: { ...bearer(key), ...(accept !== undefined && { Accept: accept }) } });
const csvOf = async (key: string, path: string) => {
  const response = await ask(key, path, 'text/csv');
  assert.equal(response.status, 200);
  return parse(await response.text());
};

/** RFC 4180, read strictly: every line ends with CRLF, and has as many cells as the header. */
function parse(text: string): Record<string, string>[] {
  const rows: string[][] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  let row: string[] = [];
  for (let at = 0; at < text.length; at = cell.lastIndex) {
    cell.lastIndex = at;
    const match = cell.exec(text);
    assert.ok(match, `no CSV at ${JSON.stringify(text.slice(at, at + 40))}`);
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === ',') continue;
    rows.push(row);
    row = [];
  }
  assert.deepEqual(row, [], 'the last line ends');
  const [header = [], ...lines] = rows;
  for (const line of lines) assert.equal(line.length, header.length);
  return lines.map((line) => Object.fromEntries(line.map((value, index) => [header[index] ?? '', value])));
}

/** A record of the JSON answer, as a line of CSV shows it: with the currency of its amounts. */
const shown = (record: Record<string, unknown>) => ({
  ...Object.fromEntries(
    Object.entries(record)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  ),
  currency: 'CNY',
});
const filledIn = (line: Record<string, string>) =>
  Object.fromEntries(Object.entries(line).filter(([, value]) => value !== ''));

async function customer() {
  const { key, account } = await gateway.newKey({ balance: '5', level: 'read' });
  await writeEntries(gateway.core.database, account, [
    { revenue: 1, units: 30, unit: 'token', model: 'a-chat', lines: linesOf({ input: 20, output: 10 }) },
    { revenue: 200_000, units: 1, unit: 'image', reason: 'two\r\nlines, a "quote" and 元' },
  ]);
  return { key, account };
}

for (const [accept, type] of [
  [undefined, 'json'],
  ['*/*', 'json'],
  ['application/json', 'json'],
  ['text/html,application/xhtml+xml,*/*;q=0.8', 'json'],
  ['application/json, text/csv', 'json'],
  ['text/csv;q=0.5, application/json', 'json'],
  ['text/csv;q=0', 'json'],
  ['image/png', 'json'],
  ['text/csv', 'csv'],
  ['TEXT/CSV', 'csv'],
  ['text/csv; charset=utf-8', 'csv'],
  ['text/csv; header=present', 'csv'],
  ['text/*', 'csv'],
  ['text/csv, */*', 'csv'],
  ['text/csv, application/json;q=0.9', 'csv'],
  ['application/json;q=0.1, text/csv;q=0.2', 'csv'],
] as const) {
  test(`Accept: ${accept ?? 'none'} gets ${type}`, async () => {
    for (const path of ['/v1/account/ledger', '/ai/v1/account/usage']) {
      // fetch itself sends */* when nothing is named.
      const response = await ask(gateway.key, path, accept);
      assert.equal(
        response.headers.get('content-type'),
        type === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8',
      );
      assert.match(response.headers.get('vary') ?? '', /\bAccept\b/);
      await response.text();
    }
  });
}

test('a CSV of the ledger says what the JSON says, field by field, and is a file to be saved', async () => {
  const { key } = await customer();
  const { data } = (await gateway.get('/v1/account/ledger', bearer(key))).body;
  const response = await ask(key, '/v1/account/ledger', 'text/csv');
  assert.match(
    response.headers.get('content-disposition') ?? '',
    /^attachment; filename="tollgate-ledger-\d{4}-\d\d-\d\d\.csv"$/,
  );
  const text = await response.text();
  assert.equal(
    text.slice(0, text.indexOf('\r\n')),
    'id,object,created,type,amount,balance,charged,task_id,request_id,key_id,model,units,unit,unit_price,usage_source,lines,usage,reason,currency',
  );
  assert.deepEqual(parse(text).map(filledIn), (data as Record<string, unknown>[]).map(shown));
  assert.equal(parse(text)[0]?.['reason'], 'two\r\nlines, a "quote" and 元');
});

test('a CSV of usage has the columns of its groups', async () => {
  const { key } = await customer();
  for (const by of ['day', 'model', 'key']) {
    const path = `/v1/account/usage?group_by=${by}`;
    const { data } = (await gateway.get(path, bearer(key))).body;
    assert.deepEqual((await csvOf(key, path)).map(filledIn), (data as Record<string, unknown>[]).map(shown));
    const { headers } = await ask(key, path, 'text/csv', 'HEAD');
    assert.match(headers.get('content-disposition') ?? '', new RegExp(`"tollgate-usage-by-${by}-[-\\d]{10}\\.csv"`));
  }
});

test('without limit and cursor it is the whole list, with one of them that page and the address of the next', async () => {
  const { key, account } = await gateway.newKey({ balance: '1', level: 'read' });
  await writeEntries(
    gateway.core.database,
    account,
    Array.from({ length: 1_100 }, (_, index) => ({ requestId: `req_${index}` })),
  );
  const whole = await csvOf(key, '/v1/account/ledger');
  assert.deepEqual(
    whole.map(({ request_id }) => request_id),
    [...Array.from({ length: 1_100 }, (_, index) => `req_${1_099 - index}`), ''],
  );
  assert.equal((await csvOf(key, '/v1/account/ledger?type=capture')).length, 1_100);
  assert.deepEqual(await csvOf(key, '/v1/account/ledger?request_id=unknown'), []);

  const first = await ask(key, '/v1/account/ledger?limit=100&type=capture', 'text/csv');
  const next = /^<(.+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1];
  assert.deepEqual(parse(await first.text()), whole.slice(0, 100));
  assert.ok(next);
  assert.deepEqual(await csvOf(key, next), whole.slice(100, 200));
  assert.equal((await ask(key, '/v1/account/ledger?limit=100&type=credit', 'text/csv')).headers.get('link'), null);
});

test('entries that arrive while a list is being read are not in it, and nothing is twice or missing', async () => {
  const { key, account } = await gateway.newKey({ balance: '1', level: 'read' });
  // Far more than the buffers between here and there hold.
  const filler = 'x'.repeat(10_000);
  const written = Array.from({ length: 2_500 }, (_, index) => ({
    requestId: `req_${index}`,
    reason: filler,
    revenue: 1,
  }));
  await writeEntries(gateway.core.database, account, written);
  const response = await ask(key, '/v1/account/ledger?type=capture', 'text/csv');
  const reader = response.body?.getReader();
  assert.ok(reader);
  const decoder = new TextDecoder();
  let text = decoder.decode((await reader.read()).value, { stream: true });
  await writeEntries(gateway.core.database, account, [{ requestId: 'req_late' }]);
  for (let piece = await reader.read(); !piece.done; piece = await reader.read())
    text += decoder.decode(piece.value, { stream: true });
  assert.deepEqual(
    parse(text).map(({ request_id }) => request_id),
    written.map(({ requestId }) => requestId).reverse(),
  );
});

test('a fault in the middle breaks the connection', async () => {
  const { key, account } = await gateway.newKey({ balance: '1', level: 'read' });
  const some = Array.from({ length: 700 }, () => ({}));
  await writeEntries(gateway.core.database, account, [{ lines: [{ unit: 'nothing that was ever written' }] }, ...some]);
  const response = await ask(key, '/v1/account/ledger', 'text/csv');
  assert.equal(response.status, 200);
  await assert.rejects(response.text());
});

test('a fault at the start is an error with its status', async () => {
  const { key, account } = await gateway.newKey({ balance: '1', level: 'read' });
  await writeEntries(gateway.core.database, account, [{ lines: [{ unit: 'nothing that was ever written' }] }]);
  assert.equal((await ask(key, '/v1/account/ledger', 'text/csv')).status, 500);
});

describe('cells', () => {
  const cellOf = (value: unknown) => csvLine(['only'], { only: value }).slice(0, -2);

  for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '\nx', '=HYPERLINK("http://x","y")']) {
    test(`the text ${JSON.stringify(text)} is no formula`, () => {
      assert.equal(filledIn(parse(`c\r\n${cellOf(text)}\r\n`)[0] ?? {})['c'], `'${text}`);
    });
  }

  for (const [value, cell] of [
    ['plain', 'plain'],
    ['a=b', 'a=b'],
    ['a,b', '"a,b"'],
    ['a"b', '"a""b"'],
    ['a\nb', '"a\nb"'],
    ["'quoted", "'quoted"],
    ['', ''],
    [null, ''],
    [undefined, ''],
    [-0.2, '-0.2'],
    [0, '0'],
    [1e-6, '0.000001'],
    [2e-7, '0.0000002'],
    [-1.25e-9, '-0.00000000125'],
    [8_000_000_000.000003, '8000000000.000003'],
    [true, 'true'],
    [[{ unit: 'a', unit_price: 2e-7 }], '"[{""unit"":""a"",""unit_price"":0.0000002}]"'],
  ] as const) {
    test(`${value === undefined ? 'undefined' : JSON.stringify(value)} is ${cell === '' ? 'nothing' : cell}`, () => {
      assert.equal(cellOf(value), cell);
    });
  }

  test('lines end with CRLF', () => {
    assert.equal(csvHeader(['a', 'b']) + csvLine(['a', 'b'], { b: 1 }), 'a,b\r\n,1\r\n');
  });
});

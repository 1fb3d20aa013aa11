/** CSV files of usage and bills as rows of a bill: known consoles, any other by its columns, and what is wrong in them. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { BillColumn } from '../../src/domain/catalogue.ts';
import { decimalText } from '../../src/domain/exact-decimal.ts';
import { ExportFault } from '../../src/reconciliation/export-fault.ts';
import { readExport } from '../../src/reconciliation/read-export.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'exports-'));
});
after(() => rm(folder, { recursive: true }));

async function read(text: string, columns?: Partial<Record<BillColumn, string>>) {
  const file = join(folder, 'export');
  await writeFile(file, text);
  return readExport(file, columns);
}

async function rowsOf(text: string, columns?: Partial<Record<BillColumn, string>>) {
  const { rows } = await read(text, columns);
  return rows.map(({ at, cost, tokens, model }) => ({
    model,
    at: at.toISOString(),
    cost: cost && decimalText(cost),
    tokens: Object.values(tokens),
  }));
}

describe('a CSV file', () => {
  test('with the columns of the documentation, all but time and cost optional', async () => {
    const bill = await read(
      '\uFEFFtime,request_id,model,input_tokens,cached_input_tokens,output_tokens,cost,currency\r\n' +
        '2026-11-01T10:00:00+08:00,req_1,"acme, large",1200,800,34,"1,234.5600001",usd\r\n\r\n' +
        '2026-11-02,,,,,,-0.5,USD\r\n',
    );
    assert.deepEqual([bill.form, bill.currency, bill.rows.length], ['CSV', 'USD', 2]);
    const [first, second] = bill.rows;
    assert.ok(first?.cost && second?.cost);
    assert.equal(first.at.toISOString(), '2026-11-01T02:00:00.000Z');
    assert.deepEqual([first.id, first.model, decimalText(first.cost)], ['req_1', 'acme, large', '1234.5600001']);
    assert.deepEqual(first.tokens, { input: 1200, cachedInput: 800, output: 34 });
    assert.deepEqual([second.id, second.tokens, decimalText(second.cost)], [undefined, {}, '-0.5']);
    assert.equal((await read('time,cost\n2026-11-01,1\n')).currency, undefined);
  });

  test('with other names, separators and forms of time, by a mapping', async () => {
    const columns = { time: 'Usage Date', cost: 'Amount ($)', model: 'SKU' };
    assert.deepEqual(await rowsOf('Usage Date;SKU;Amount ($)\n2026/11/1 07:30;m;$0.25\n', columns), [
      { model: 'm', at: '2026-11-01T07:30:00.000Z', cost: '0.25', tokens: [] },
    ]);
  });

  test("of Anthropic's console, tokens and costs", async () => {
    const usage = await read(
      'usage_date_utc,model_version,api_key,workspace,usage_type,context_window,usage_input_tokens_no_cache,' +
        'usage_input_tokens_cache_write_5m,usage_input_tokens_cache_write_1h,usage_input_tokens_cache_read,' +
        'usage_output_tokens,web_search_count,inference_geo,speed\n' +
        '2026-11-03,claude-opus-4-6,main,Default,standard,≤ 200k,100,20,3,40,7,0,not_available,\n',
    );
    assert.equal(usage.form, 'Anthropic console usage');
    assert.deepEqual(usage.rows[0]?.tokens, { input: 163, cachedInput: 40, cacheWrite: 23, output: 7 });
    const costs = await read(
      'usage_date_utc,model,workspace,api_key,usage_type,context_window,token_type,cost_usd,list_price_usd\n' +
        '2026-11-03,Claude Opus 4.6,Default,main,message,≤ 200k,output,0.50,0.50\n',
    );
    assert.deepEqual([costs.form, costs.currency, costs.costDecimals], ['Anthropic console costs', 'USD', 2]);
  });

  test('of Ark, in Chinese and at the hours of Beijing', async () => {
    const bill = await read('账单日期,产品,配置名称,应付金额,币种\n2026-11-03,火山方舟,doubao-seed,12.5,人民币\n');
    assert.deepEqual([bill.form, bill.currency, bill.dayOffsetMinutes], ['Ark bill', 'CNY', 480]);
    assert.equal(bill.rows[0]?.at.toISOString(), '2026-11-02T16:00:00.000Z');
    assert.equal(bill.rows[0].model, 'doubao-seed');
  });
});

describe('a file is refused with the place of its fault:', () => {
  for (const [what, text, says] of [
    ['a column that is not there', 'when,cost\n1,2\n', /^there is no column time .*the columns are when, cost/],
    ['no time', 'time,cost\nyesterday,1\n', /^row 1: time must be a time in ISO 8601, and is 'yesterday'/],
    ['a day that does not exist', 'time,cost\n2026-13-01,1\n', /^row 1: time must be a time/],
    ['no amount', 'time,cost\n2026-11-01,1\n2026-11-01,free\n', /^row 2: cost must be a decimal number, and is 'free'/],
    ['half a token', 'time,cost,input_tokens\n2026-11-01,1,0.5\n', /^row 1: input_tokens must be a whole number/],
    ['a row that is too short', 'time,cost\n2026-11-01,1\n2026-11-01\n', /^row 2: Invalid Record Length/],
    ['a quote that does not close', `time,cost\n"${'x'.repeat(70_000)}`, /^row 1: Max Record Size/],
    ['no rows', 'time,cost\n', /^the file has no rows/],
    ['nothing', '', /^the file has no rows/],
    ['two currencies', 'time,cost,currency\n2026-11-01,1,USD\n2026-11-01,1,EUR\n', /several currencies: USD, EUR/],
    ['lines of which one is no JSON', '{"object":"page"}\n{oops\n', /^line 2 is not JSON/],
  ] as const) {
    test(what, () =>
      assert.rejects(read(text), (error) => {
        assert.ok(error instanceof ExportFault, String(error));
        assert.match(error.message, says);
        return true;
      }),
    );
  }
});

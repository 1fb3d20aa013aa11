/** What vendors' APIs answer of usage and costs, as rows of a bill; the fixtures are written after their documentation. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decimalText } from '../../src/domain/exact-decimal.ts';
import type { BilledExport } from '../../src/domain/reconciliation/billed-row.ts';
import { ExportFault } from '../../src/reconciliation/export-fault.ts';
import { readJsonExport } from '../../src/reconciliation/json-forms.ts';

/** The rows with their costs and times as text. */
const plain = ({ rows }: BilledExport) =>
  rows.map(({ cost, at, ...row }) => ({ ...row, at: at.toISOString(), ...(cost && { cost: decimalText(cost) }) }));

const day = 1_793_491_200; // 2026-11-01
const bucket = (results: object[]) => ({ object: 'bucket', start_time: day, end_time: day + 86_400, results });
const page = (...buckets: object[]) => ({ object: 'page', data: buckets, has_more: false, next_page: null });

describe('exports as JSON:', () => {
  test('usage of OpenAI, of several pages', () => {
    const result = {
      object: 'organization.usage.completions.result',
      ...{ input_tokens: 1000, output_tokens: 500, input_cached_tokens: 800, num_model_requests: 5 },
      ...{ project_id: null, user_id: null, api_key_id: 'key_1', model: 'gpt-4o-2024-08-06', batch: null },
    };
    const other = { ...result, input_cached_tokens: null, num_model_requests: null, model: null, api_key_id: null };
    const bill = readJsonExport([page(bucket([result])), page(bucket([other]))]);
    assert.deepEqual([bill.form, bill.currency], ['OpenAI usage', undefined]);
    assert.deepEqual(plain(bill), [
      {
        place: 'row 1',
        at: '2026-11-01T00:00:00.000Z',
        model: 'gpt-4o-2024-08-06',
        key: 'key_1',
        calls: 5,
        tokens: { input: 1000, output: 500, cachedInput: 800 },
      },
      { place: 'row 2', at: '2026-11-01T00:00:00.000Z', tokens: { input: 1000, output: 500 } },
    ]);
  });

  test('costs of OpenAI, whose line item begins with the model', () => {
    const cost = (value: number | string, line_item: string | null) => ({
      object: 'organization.costs.result',
      amount: { value, currency: 'usd' },
      ...{ line_item, project_id: null },
    });
    const bill = readJsonExport(page(bucket([cost(0.06, 'gpt-4o-2024-08-06, cached input'), cost('1e-7', null)])));
    assert.deepEqual([bill.form, bill.currency], ['OpenAI costs', 'USD']);
    assert.deepEqual(
      plain(bill).map(({ model, cost }) => [model, cost]),
      [
        ['gpt-4o-2024-08-06', '0.06'],
        [undefined, '0.0000001'],
      ],
    );
  });

  test('usage of Anthropic, whose input is without caches', () => {
    const result = {
      ...{ uncached_input_tokens: 100, cache_read_input_tokens: 40, output_tokens: 7, model: 'claude-opus-4-6' },
      cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 3 },
      ...{ api_key_id: 'apikey_1', workspace_id: null, service_tier: 'standard' },
    };
    const bill = readJsonExport({
      data: [{ starting_at: '2026-11-02T00:00:00Z', results: [result] }],
      has_more: false,
    });
    assert.equal(bill.form, 'Anthropic usage');
    assert.deepEqual(plain(bill)[0]?.tokens, { input: 163, cachedInput: 40, cacheWrite: 23, output: 7 });
  });

  test('costs of Anthropic, which are in cents', () => {
    const result = { amount: '123.78912', currency: 'USD', model: 'claude-opus-4-6', cost_type: 'tokens' };
    const bill = readJsonExport({
      data: [{ starting_at: '2026-11-02T00:00:00Z', results: [result] }],
      has_more: false,
    });
    assert.deepEqual([bill.form, bill.currency, plain(bill)[0]?.cost], ['Anthropic costs', 'USD', '1.2378912']);
  });

  test('billing events of fal, with the discount taken off', () => {
    const event = { request_id: 'r1', endpoint_id: 'fal-ai/flux', timestamp: '2026-11-02T10:00:00Z', output_units: 2 };
    const bill = readJsonExport({
      billing_events: [
        { ...event, cost_subtotal: 0.05, cost_total: 0.045, cost_estimate_nano_usd: 1 },
        { ...event, request_id: 'r2', cost_estimate_nano_usd: 45_000_001 },
      ],
      next_cursor: null,
    });
    assert.deepEqual(
      plain(bill).map(({ id, model, cost }) => [id, model, cost]),
      [
        ['r1', 'fal-ai/flux', '0.045'],
        ['r2', 'fal-ai/flux', '0.045000001'],
      ],
    );
  });

  test('usage of fal by the day', () => {
    const result = {
      endpoint_id: 'fal-ai/flux',
      unit: 'image',
      quantity: 4,
      unit_price: 0.1,
      cost: 0.4,
      currency: 'USD',
    };
    const bill = readJsonExport({ time_series: [{ bucket: '2026-11-02T00:00:00Z', results: [result] }] });
    assert.deepEqual([bill.form, plain(bill)[0]?.cost], ['fal usage', '0.4']);
  });

  test('predictions of Replicate that ran, without a cost', () => {
    const one = { id: 'p1', model: 'owner/name', created_at: '2026-11-02T10:00:00.123Z', status: 'succeeded' };
    const bill = readJsonExport({
      ...{ previous: null, next: null },
      results: [
        { ...one, metrics: { predict_time: 3.5 } },
        { ...one, id: 'p2', status: 'canceled', metrics: {} },
      ],
    });
    assert.deepEqual(plain(bill), [
      { place: 'row 1', id: 'p1', model: 'owner/name', at: '2026-11-02T10:00:00.123Z', calls: 1, tokens: {} },
    ]);
  });
});

describe('a JSON file is refused with the place of its fault:', () => {
  const fault = (value: unknown, says: RegExp) =>
    assert.throws(
      () => readJsonExport(value),
      (error) => error instanceof ExportFault && says.test(error.message),
    );

  test('an unknown form', () => {
    fault({ rows: [] }, /no known form, or no rows\. Known are the answers of OpenAI costs/);
    fault([], /no known form/);
    fault('text', /no known form/);
  });
  test('a field that is not as documented', () => {
    const result = { input_tokens: '7', output_tokens: 1 };
    fault(page(bucket([result])), /page 1 is none of OpenAI usage: data\.0\.results\.0\.input_tokens: /);
  });
  test('an amount that is no number', () => {
    fault(page(bucket([{ amount: { value: 'much', currency: 'usd' } }])), /amount\.value: must be a decimal number/);
  });
  test('costs in two currencies', () => {
    const cost = (currency: string) => ({ amount: { value: 1, currency } });
    fault(page(bucket([cost('usd'), cost('eur')])), /several currencies: USD, EUR/);
  });
});

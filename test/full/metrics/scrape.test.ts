/** A real gateway is used and then scraped: the figures say what happened, and the money is the ledger's. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { type Family, parseMetrics, valueOf } from '../../support/metrics.ts';
import { until } from '../../support/process.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway();
});
after(() => gateway.stop());

async function scrape(): Promise<Map<string, Family>> {
  const answer = await gateway.fetch('/metrics', { key: null });
  assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  return parseMetrics(await answer.text());
}

/** Micro-units that the ledger's entries of a type moved. */
async function ledgerSum(type: string, leg: string): Promise<number> {
  const { rows } = await gateway.core.database.pool.query<{ sum: string }>(
    `select coalesce(sum(abs(${leg})), 0)::text as sum from entries where type = $1`,
    [type],
  );
  return Number(rows[0]?.sum) / 1_000_000;
}

const chat = { model: 'sim-chat', messages: [{ role: 'user', content: 'Hello' }] };
const image = (prompt: string) => ({ model: 'sim-image', prompt, size: '1024x1024' });
const near = (actual: number, expected: number, what: string) =>
  assert.ok(Math.abs(actual - expected) < 1e-6, `${what}: ${actual} instead of ${expected}`);

test('what a gateway did is what its metrics say', async () => {
  const called = await gateway.post('/v1/chat/completions', chat);
  assert.equal(called.status, 200);
  const streamed = await gateway.fetch('/ai/v1/chat/completions', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...chat, stream: true }),
  });
  await streamed.text();
  assert.equal((await gateway.post('/v1/images/generations', image('a red kite'))).status, 200);
  const failed = await gateway.post('/v1/images/generations', image('[sim:fail=broken]'));
  assert.ok('error' in failed.body, JSON.stringify(failed.body));
  assert.equal((await gateway.get('/v1/nothing/acc_0123')).status, 404);
  assert.equal((await gateway.fetch('/v1/account', { method: 'PROPFIND' })).status, 405);

  // Settlements and counts come after the answers.
  await until('all is settled', async () => (await gateway.money()).held === 0 || undefined);
  let shown = await scrape();
  await until('everything is counted', async () => {
    shown = await scrape();
    const isCounted =
      valueOf(shown, 'tollgate_ledger_entries_total', { type: 'capture' }) === 3 &&
      valueOf(shown, 'tollgate_tokens_total', { model: 'sim-chat', direction: 'output' }) > 0 &&
      valueOf(shown, 'tollgate_step_duration_seconds_count', { step: 'release' }) === 1 &&
      valueOf(shown, 'tollgate_http_requests_total', { route: 'none', method: 'other' }) === 1 &&
      valueOf(shown, 'tollgate_held_amount') === 0;
    return isCounted || undefined;
  });

  const count = (name: string, labels: Record<string, string>) => valueOf(shown, name, labels);
  const requests = (route: string, method: string, status: string) =>
    count('tollgate_http_requests_total', { route, method, status });
  assert.equal(requests('/v1/chat/completions', 'POST', '200'), 1);
  assert.equal(requests('/ai/v1/chat/completions', 'POST', '200'), 1);
  const images = [200, failed.status].filter((status) => status === 200).length;
  assert.equal(requests('/v1/images/generations', 'POST', '200'), images);
  assert.equal(requests('none', 'GET', '404'), 1);
  assert.equal(count('tollgate_http_request_duration_seconds_count', { route: '/v1/images/generations' }), 2);
  assert.equal(count('tollgate_http_time_to_first_byte_seconds_count', { route: '/v1/chat/completions' }), 1);
  for (const mode of ['json', 'stream']) {
    assert.equal(count('tollgate_chat_added_latency_seconds_count', { model: 'sim-chat', mode }), 1, mode);
    assert.equal(count('tollgate_chat_upstream_latency_seconds_count', { model: 'sim-chat', mode }), 1, mode);
  }

  const tasks = { kind: 'image' };
  assert.equal(count('tollgate_tasks_accepted_total', { ...tasks, model: 'sim-image' }), 2);
  assert.equal(count('tollgate_tasks_ended_total', { ...tasks, state: 'succeeded', code: 'none' }), 1);
  assert.equal(count('tollgate_tasks_ended_total', { ...tasks, state: 'failed', code: 'upstream_error' }), 1);
  assert.equal(count('tollgate_task_duration_seconds_count', tasks), 2);
  const steps = (step: string, outcome: string) =>
    count('tollgate_step_duration_seconds_count', { ...tasks, step, outcome });
  assert.equal(steps('submit', 'sent'), 2);
  assert.equal(steps('collect', 'stored'), 1);
  assert.equal(steps('collect', 'failed'), 1);
  assert.equal(steps('settle', 'succeeded'), 1);
  assert.equal(steps('release', 'failed'), 1);
  assert.equal(count('tollgate_tasks_unfinished', {}), 0);
  assert.equal(count('tollgate_tasks_unstarted', {}), 0);

  const calls = (operation: string, outcome: string) =>
    count('tollgate_provider_calls_total', { provider: 'simulator', operation, outcome });
  assert.equal(calls('create', 'accepted'), 2);
  assert.equal(calls('poll', 'succeeded'), 1);
  assert.equal(calls('poll', 'failed'), 1);
  assert.equal(calls('chat', 'ok'), 2);

  const moved = (type: string) => count('tollgate_ledger_moved_amount_total', { type });
  near(moved('capture'), await ledgerSum('capture', 'd_revenue'), 'captured');
  near(count('tollgate_captured_amount_total', {}), await ledgerSum('capture', 'd_revenue'), 'captured by model');
  near(moved('hold'), await ledgerSum('hold', 'd_held'), 'held');
  near(moved('release'), await ledgerSum('release', 'd_held'), 'released');
  near(moved('credit'), 100, 'credited');
  near(count('tollgate_captured_amount_total', { model: 'sim-image' }), 0.2, 'of the image');
  assert.equal(count('tollgate_ledger_commit_failures_total', {}), 0);
  assert.ok(count('tollgate_ledger_group_moves_sum', {}) >= 9, 'moves');

  const { usage } = called.body as { usage: { prompt_tokens: number; completion_tokens: number } };
  assert.equal(count('tollgate_tokens_total', { direction: 'input' }), 2 * usage.prompt_tokens);

  assert.equal(count('tollgate_ready', {}), 1);
  assert.equal(count('tollgate_part_up', {}), 3);
  assert.equal(count('tollgate_scrape_errors_total', {}), 0);
  assert.ok(count('tollgate_blob_bytes_total', { operation: 'write' }) > 1_000, 'the image was stored');
  assert.ok(count('temporal_num_pollers', {}) > 0, "Temporal's workers poll");
});

test('no label says who called, or what for', async () => {
  for (const { name, samples } of (await scrape()).values()) {
    for (const { labels } of samples) {
      for (const [label, value] of Object.entries(labels)) {
        assert.doesNotMatch(value, /acc_|key_|sk-tg|img_|vid_|avt_|red kite|:\/\//, `${name}{${label}="${value}"}`);
      }
    }
  }
});

test('scrapes at one time are one', async () => {
  const { metrics } = gateway.core.meters;
  assert.equal(metrics.metrics(), metrics.metrics());
  const texts = await Promise.all(Array.from({ length: 20 }, () => scrape()));
  assert.ok(texts.every((families) => families.has('tollgate_ready')));
});

/** How models and providers did within the last hour and day, and when they count as degraded. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { routeFaults } from '../../src/api/health/health-book.ts';
import { readTraffic } from '../../src/api/health/traffic.ts';
import { type OutcomeTally, stateOf, successRate } from '../../src/api/health/traffic-rules.ts';
import type { AccountId, KeyId } from '../../src/domain/ids.ts';
import { callOutcomes } from '../../src/request-records/call-outcomes.ts';
import type { RequestRecord } from '../../src/request-records/request-record.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { addDayOf, writeRecords } from '../support/request-groups.ts';

const tally = (succeeded: number, failed: number): OutcomeTally => ({
  succeeded,
  faults: failed === 0 ? [] : [{ code: 'upstream_error', count: failed }],
});

describe('the state of a model or provider', () => {
  const rows: [state: string, what: string, isAvailable: boolean, lastHours: OutcomeTally[]][] = [
    ['available', 'without any traffic', true, [tally(0, 0)]],
    ['available', 'with 95 of 100 successes', true, [tally(95, 5)]],
    ['degraded', 'with 94 of 100 successes', true, [tally(94, 6)]],
    ['degraded', 'with five failures and a good probe since', true, [tally(0, 5)]],
    ['degraded', 'with good calls and failing tasks', true, [tally(50, 0), tally(0, 50)]],
    ['unavailable', 'that is not available, whatever it did before', false, [tally(100, 0)]],
  ];
  for (const [state, what, isAvailable, lastHours] of rows)
    test(`${what} is ${state}`, () => assert.equal(stateOf(isAvailable, ...lastHours), state));

  test('its rate of success is unknown without any outcome', () => {
    assert.deepEqual([tally(0, 0), tally(3, 1), tally(0, 2)].map(successRate), [null, 0.75, 0]);
  });
});

describe('calls are counted', () => {
  let db: TestDatabase;
  before(async () => {
    db = await freshDatabase();
    await addDayOf(db.database, minutesAgo(25 * 60));
  });
  after(() => db.drop());

  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const record = (of: Partial<RequestRecord>): RequestRecord => ({
    ...{ createdAt: minutesAgo(5), accountId: 'acc_1' as AccountId, keyId: 'key_1' as KeyId, requestId: 'req_1' },
    ...{ method: 'POST', path: '/v1/chat/completions', model: 'talker', status: 200, code: undefined },
    ...{ latencyMs: 100, firstTokenMs: undefined, isStream: false, provider: 'one', attempts: undefined },
    ...{ inputTokens: undefined, cachedInputTokens: undefined, outputTokens: undefined, cost: undefined },
    ...{ taskId: undefined, endUser: undefined, tag: undefined, client: undefined },
    ...of,
  });
  const failed = { provider: 'one', model: 'm', ms: 3, fault: 'It answered 503.', code: 'upstream_error' } as const;

  test('once for their model, and for each provider that was asked; callers’ mistakes and tasks are not', async () => {
    await writeRecords(db.database, [
      record({ latencyMs: 100 }),
      record({ latencyMs: 900 }),
      record({ latencyMs: 300, createdAt: minutesAgo(200) }),
      record({ provider: 'two', latencyMs: 300, attempts: [failed, { provider: 'two', model: 'm', ms: 9 }] }),
      record({ status: 502, code: 'upstream_error', attempts: [failed] }),
      record({ code: 'upstream_error', isStream: true }), // it broke off
      record({ status: 504, code: 'upstream_timeout', attempts: [{ ...failed, code: 'upstream_timeout' }] }),
      record({ status: 400, code: 'invalid_request', attempts: [{ provider: 'one', model: 'm', ms: 3, fault: 'no' }] }),
      record({ status: 429, code: 'rate_limited', provider: undefined }),
      record({ status: 202, taskId: 'img_1', model: 'painter' }),
      record({ createdAt: minutesAgo(25 * 60) }),
    ]);
    const { modelTraffic, callsOf, callsOfRoute } = await readTraffic(db.database, ['talker', 'painter']);
    const sorted = ({ succeeded, faults }: OutcomeTally) => ({
      succeeded,
      faults: Object.fromEntries(faults.map(({ code, count }) => [code, count])),
    });
    const { lastHour, lastDay, medianMs } = modelTraffic('talker');
    assert.deepEqual(sorted(lastHour), { succeeded: 3, faults: { upstream_error: 2, upstream_timeout: 1 } });
    assert.deepEqual(sorted(lastDay), { succeeded: 4, faults: { upstream_error: 2, upstream_timeout: 1 } });
    assert.equal(medianMs, 300);
    const one = sorted(callsOf('one').lastHour);
    assert.deepEqual(one, { succeeded: 2, faults: { upstream_error: 3, upstream_timeout: 1 } });
    assert.deepEqual(sorted(callsOf('two').lastHour), { succeeded: 1, faults: {} });
    assert.deepEqual(sorted(callsOfRoute('one', 'talker').lastHour), one);
    assert.deepEqual(sorted(callsOfRoute('one', 'another').lastHour), { succeeded: 0, faults: {} });
    // Of calls that it answered at once: 100, 300 and 900 ms.
    const { medianMs: ofProvider, p95Ms } = callsOf('one');
    assert.deepEqual([ofProvider, p95Ms], [300, 840]);
    assert.deepEqual([callsOf('two').medianMs, callsOfRoute('one', 'talker').p95Ms], [null, 840]);
    assert.deepEqual(sorted(modelTraffic('painter').lastDay), { succeeded: 0, faults: {} });
  });

  test('all of them, however many come in a day, also if several processes write at once', async () => {
    const written = Array.from({ length: 4 }, (_, at) => {
      const models = Array.from({ length: 20 }, (_, n) => `many-${(n * (at + 1)) % 20}`);
      const some = models.flatMap((model) => Array.from({ length: 50 }, () => record({ model, provider: 'many' })));
      return writeRecords(db.database, at % 2 === 0 ? some : some.reverse());
    });
    await Promise.all(written);
    const { outcomes } = await callOutcomes(db.database, routeFaults);
    const many = outcomes.find(({ of, name }) => of === 'provider' && name === 'many');
    assert.deepEqual([many?.lastHour, many?.lastDay], [4_000, 4_000]);
  });
});

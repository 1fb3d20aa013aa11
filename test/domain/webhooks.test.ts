import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { judgedStatus, nextAttemptInMs, standardPace, webhookBody } from '../../src/domain/webhook-rules.ts';

const day = 86_400_000;

/** When the attempts are made if each fails at once, in seconds. */
function attemptsAt(chance: number): number[] {
  const at = [0];
  for (;;) {
    const pause = nextAttemptInMs(at.at(-1)!, standardPace, chance);
    if (pause === undefined) return at.map((ms) => Math.round(ms / 1000));
    at.push(at.at(-1)! + pause);
    assert.ok(at.length < 100);
  }
}

describe('attempts', () => {
  test('thin out from seconds to hours and end after a day', () => {
    assert.deepEqual(
      attemptsAt(0.5),
      [0, 5, 20, 80, 320, 1280, 5120, 15920, 26720, 37520, 48320, 59120, 69920, 80720, 86400],
    );
  });

  test('are spread by chance, and the last one still comes at the end of the day', () => {
    for (const chance of [0, 0.25, 0.75, 0.999]) {
      const at = attemptsAt(chance);
      assert.ok(at.length >= 13 && at.length <= 17, String(at.length));
      assert.ok(at.at(-1)! >= 86_400 && at.at(-1)! <= 86_405, String(at.at(-1)));
    }
    assert.notDeepEqual(attemptsAt(0), attemptsAt(1));
  });

  test('go on after a clock was set back, and end after a long absence of all workers', () => {
    assert.equal(nextAttemptInMs(-1_000_000, standardPace, 0.5), 5_000);
    assert.equal(nextAttemptInMs(3 * day, standardPace, 0.5), undefined);
  });
});

test('2xx is delivered, 410 is the end, everything else is tried again', () => {
  for (const status of [200, 201, 204, 299]) assert.equal(judgedStatus(status).verdict, 'delivered');
  for (const status of [100, 301, 302, 307, 400, 401, 404, 429, 500, 503])
    assert.equal(judgedStatus(status).verdict, 'again', String(status));
  assert.equal(judgedStatus(410).verdict, 'never');
});

test('a body has type, timestamp and data, in this order', () => {
  const event = { type: 'account.balance_low', createdAt: new Date(1_790_000_000_123), data: { balance: 0.4 } };
  assert.equal(
    webhookBody(event),
    '{"type":"account.balance_low","timestamp":"2026-09-21T14:13:20.123Z","data":{"balance":0.4}}',
  );
});

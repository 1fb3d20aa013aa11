/** Who is admitted and who is refused, with which code, and in which order the reasons count. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  type AccountState,
  type AdmissionRequest,
  clockBackMs,
  correctedCounters,
  countersAt,
  decideAdmission,
  type KeyCounters,
  type KeyState,
  noCounts,
  rateState,
} from '../../src/domain/billing/admission.ts';
import type { ErrorCode } from '../../src/domain/errors.ts';
import { type Window, windows } from '../../src/domain/accounts/key-rules.ts';
import type { Maintenance } from '../../src/domain/maintenance.ts';
import { micros } from '../../src/domain/money.ts';

const now = new Date('2026-05-15T10:20:30Z');
const counters = (part: Partial<KeyCounters> = {}): KeyCounters => ({
  countedAt: now,
  calls: noCounts,
  spent: noCounts,
  since: noCounts,
  clockBackAt: null,
  runningTasks: 0,
  ...part,
});
const request: AdmissionRequest = {
  needs: 'standard',
  model: 'm',
  maintenance: false,
  hold: micros(10n),
  currency: 'CNY',
  isTask: true,
};
const account: AccountState = { status: 'active', available: micros(10n), held: micros(0n), seq: 7n, inArrears: false };
const key: KeyState = {
  level: 'standard',
  revoked: false,
  callLimits: [],
  spendLimit: null,
  maxRunningTasks: null,
  queue: false,
  models: null,
  expiresAt: null,
  counters: counters(),
};
interface Case {
  request?: Partial<AdmissionRequest>;
  account?: Partial<AccountState>;
  key?: Partial<KeyState>;
}
const decide = (parts: Case, at = now) =>
  decideAdmission({ ...request, ...parts.request }, { ...account, ...parts.account }, { ...key, ...parts.key }, at);
const codeOf = (parts: Case, at = now): ErrorCode | 'admitted' => {
  const decision = decide(parts, at);
  return decision.admitted ? 'admitted' : decision.refusal.code;
};
const all = (count: bigint) => ({ minute: count, hour: count, day: count, month: count, total: count });

/** So many seconds from now. */
const after = (seconds: number) => new Date(now.getTime() + seconds * 1000);

describe('a single reason', () => {
  const cases: [name: string, parts: Case, code: ErrorCode | 'admitted', retryAfter?: number | undefined][] = [
    ['nothing against it', {}, 'admitted'],
    ['a revoked key', { key: { revoked: true } }, 'invalid_api_key'],
    ['a key that expires this very moment', { key: { expiresAt: now } }, 'invalid_api_key'],
    ['a key that expires later', { key: { expiresAt: new Date(now.getTime() + 1) } }, 'admitted'],
    ['a suspended account', { account: { status: 'suspended' } }, 'account_suspended'],
    ['a level too low', { key: { level: 'chat' } }, 'permission_denied'],
    ['a level above', { key: { level: 'admin' } }, 'admitted'],
    ['a model off the list', { key: { models: ['other'] } }, 'model_not_allowed'],
    ['a model on the list', { key: { models: ['other', 'm'] } }, 'admitted'],
    ['an empty list', { key: { models: [] } }, 'model_not_allowed'],
    ['maintenance', { request: { maintenance: {} } }, 'model_in_maintenance', 60],
    ['maintenance of an hour', { request: { maintenance: { until: after(3600) } } }, 'model_in_maintenance', 60],
    ['maintenance of 7 s', { request: { maintenance: { until: after(6.5) } } }, 'model_in_maintenance', 7],
    ['maintenance that ends this very moment', { request: { maintenance: { until: now } } }, 'admitted'],
    [
      'the last call of the minute',
      { key: { callLimits: [{ calls: 3, per: 'minute' }], counters: counters({ calls: all(2n) }) } },
      'admitted',
    ],
    [
      'one call too many in the minute',
      { key: { callLimits: [{ calls: 3, per: 'minute' }], counters: counters({ calls: all(3n) }) } },
      'call_limit_exceeded',
      30,
    ],
    [
      'one call too many in all',
      { key: { callLimits: [{ calls: 3, per: 'total' }], counters: counters({ calls: all(3n) }) } },
      'call_limit_exceeded',
      undefined,
    ],
    [
      'as many tasks as may run',
      { key: { maxRunningTasks: 2, counters: counters({ runningTasks: 2 }) } },
      'concurrency_limit_exceeded',
      5,
    ],
    [
      'as many tasks as may run, of a key with a queue',
      { key: { maxRunningTasks: 2, queue: true, counters: counters({ runningTasks: 2 }) } },
      'admitted',
    ],
    [
      'the last task that may be queued',
      { key: { maxRunningTasks: 2, queue: true, counters: counters({ runningTasks: 10_001 }) } },
      'admitted',
    ],
    [
      'one queued task too many',
      { key: { maxRunningTasks: 2, queue: true, counters: counters({ runningTasks: 10_002 }) } },
      'concurrency_limit_exceeded',
      5,
    ],
    [
      'a task to queue that its balance does not cover',
      {
        request: { hold: micros(11n) },
        key: { maxRunningTasks: 2, queue: true, counters: counters({ runningTasks: 2 }) },
      },
      'insufficient_balance',
    ],
    ['one task less', { key: { maxRunningTasks: 2, counters: counters({ runningTasks: 1 }) } }, 'admitted'],
    [
      'a call that is no task',
      { request: { isTask: false }, key: { maxRunningTasks: 2, counters: counters({ runningTasks: 2 }) } },
      'admitted',
    ],
    [
      'a hold that just fits the spend limit',
      { key: { spendLimit: { amount: micros(30n), per: 'day' }, counters: counters({ spent: all(20n) }) } },
      'admitted',
    ],
    [
      'a hold that passes the spend limit by one',
      { key: { spendLimit: { amount: micros(29n), per: 'day' }, counters: counters({ spent: all(20n) }) } },
      'spend_limit_exceeded',
      49_170,
    ],
    [
      'a hold that passes the spend limit in all',
      { key: { spendLimit: { amount: micros(29n), per: 'total' }, counters: counters({ spent: all(20n) }) } },
      'spend_limit_exceeded',
      undefined,
    ],
    ['exactly enough money', { request: { hold: micros(10n) } }, 'admitted'],
    ['a micro-unit too little', { request: { hold: micros(11n) } }, 'insufficient_balance'],
    ['arrears in spite of money', { account: { inArrears: true } }, 'insufficient_balance'],
  ];
  for (const [name, parts, code, retryAfter] of cases) {
    test(`${name}: ${code}`, () => {
      const decision = decide(parts);
      assert.equal(decision.admitted ? 'admitted' : decision.refusal.code, code);
      if (!decision.admitted) assert.equal(decision.refusal.retryAfterSeconds, retryAfter);
    });
  }
});

test('a task is queued where its key has a queue, and as many unfinished tasks as may run', () => {
  const queuedBy = (parts: Case) => {
    const decision = decide(parts);
    return decision.admitted && decision.queued;
  };
  const keyWith = (runningTasks: number, more: Partial<KeyState> = {}): Case => ({
    key: { maxRunningTasks: 2, queue: true, counters: counters({ runningTasks }), ...more },
  });
  assert.equal(queuedBy(keyWith(1)), false);
  assert.equal(queuedBy(keyWith(2)), true);
  assert.equal(queuedBy(keyWith(9)), true);
  assert.equal(queuedBy(keyWith(9, { maxRunningTasks: null })), false);
  assert.equal(queuedBy({ ...keyWith(9), request: { isTask: false } }), false, 'a call is no task');
});

test('a spent limit says when it is reset, and in all that only a higher one resets it', () => {
  const messageAt = (per: 'day' | 'month' | 'total') => {
    const spendLimit = { amount: micros(29n), per };
    const decision = decide({ key: { spendLimit, counters: counters({ spent: all(20n) }) } });
    return decision.admitted ? undefined : decision.refusal.message;
  };
  const [endOfDay, endOfMonth] = ['2026-05-16T00:00:00Z', '2026-06-01T00:00:00Z'];
  const cost = 'and this call may cost up to 0.00001 CNY: its quota is exceeded';
  const day = `This key is limited to 0.000029 CNY per day, ${cost} and will reset at ${endOfDay}.`;
  assert.equal(messageAt('day'), day);
  assert.equal(messageAt('month'), day.replace('per day', 'per month').replace(endOfDay, endOfMonth));
  assert.equal(
    messageAt('total'),
    `This key is limited to 0.000029 CNY in total, ${cost}, and only a higher limit will reset it.`,
  );
});

test('a maintenance says until when it lasts, and why', () => {
  const messageOf = (maintenance: Maintenance) => {
    const decision = decide({ request: { maintenance } });
    assert.ok(!decision.admitted);
    return decision.refusal.message;
  };
  const until = new Date('2026-12-01T08:00:00.000Z');
  assert.equal(messageOf({}), "The model 'm' is under maintenance.");
  assert.equal(messageOf({ note: 'New weights.' }), "The model 'm' is under maintenance. New weights.");
  assert.equal(
    messageOf({ note: 'New weights.', until }),
    "The model 'm' is under maintenance until 2026-12-01T08:00:00Z. New weights.",
  );
});

test('of several reasons the first in the order of checks is reported', () => {
  const reasons: [ErrorCode, Case][] = [
    ['invalid_api_key', { key: { revoked: true } }],
    ['account_suspended', { account: { status: 'suspended' } }],
    ['permission_denied', { key: { level: 'read' } }],
    ['model_not_allowed', { key: { models: [] } }],
    ['model_in_maintenance', { request: { maintenance: {} } }],
    ['call_limit_exceeded', { key: { callLimits: [{ calls: 1, per: 'hour' }] } }],
    ['concurrency_limit_exceeded', { key: { maxRunningTasks: 1 } }],
    ['spend_limit_exceeded', { key: { spendLimit: { amount: micros(1n), per: 'hour' } } }],
    ['insufficient_balance', { account: { available: micros(0n) } }],
  ];
  for (const [index, [code]] of reasons.entries()) {
    const left = reasons.slice(index).map(([, parts]) => parts);
    const merged = {
      request: Object.assign({}, ...left.map((parts) => parts.request)) as Partial<AdmissionRequest>,
      account: Object.assign({}, ...left.map((parts) => parts.account)) as Partial<AccountState>,
      key: Object.assign(
        { counters: counters({ calls: all(1n), spent: all(1n), runningTasks: 1 }) },
        ...left.map((parts) => parts.key),
      ) as Partial<KeyState>,
    };
    assert.equal(codeOf(merged), code);
  }
});

describe('counting', () => {
  test('an admitted call counts in every window, with its hold', () => {
    const decision = decide({ key: { counters: counters({ calls: all(1n), spent: all(5n), runningTasks: 1 }) } });
    assert.ok(decision.admitted);
    assert.deepEqual(decision.counters, {
      countedAt: now,
      calls: all(2n),
      spent: all(15n),
      since: noCounts,
      clockBackAt: null,
      runningTasks: 2,
    });
  });

  for (const [later, kept] of [
    ['2026-05-15T10:20:59.999Z', ['minute', 'hour', 'day', 'month', 'total']],
    ['2026-05-15T10:21:00Z', ['hour', 'day', 'month', 'total']],
    ['2026-05-15T11:00:00Z', ['day', 'month', 'total']],
    ['2026-05-16T00:00:00Z', ['month', 'total']],
    ['2026-06-01T00:00:00Z', ['total']],
    // The same minute, hour and day of another month and year are other windows.
    ['2027-05-15T10:20:30Z', ['total']],
  ] as const) {
    test(`at ${later} the counts of ${kept.join(', ')} still stand`, () => {
      const { calls, spent } = countersAt(counters({ calls: all(7n), spent: all(9n) }), new Date(later));
      for (const window of windows) {
        const stands = (kept as readonly string[]).includes(window);
        assert.equal(calls[window], stands ? 7n : 0n, window);
        assert.equal(spent[window], stands ? 9n : 0n, window);
      }
    });
  }

  test('a clock that is behind by up to a minute neither empties a window nor opens an older one', () => {
    const limited = { callLimits: [{ calls: 1, per: 'minute' as const }], counters: counters({ calls: all(1n) }) };
    const earlier = new Date(now.getTime() - 60_000);
    const refused = decide({ key: limited }, earlier);
    assert.ok(!refused.admitted);
    assert.equal(refused.counters, undefined);
    // Until the minute of the counters ends, by this clock.
    assert.equal(refused.refusal.retryAfterSeconds, 90);
    const decision = decide({ key: { counters: limited.counters } }, earlier);
    assert.ok(decision.admitted);
    assert.deepEqual(decision.counters.countedAt, now);
    assert.equal(decision.counters.calls.minute, 2n);
  });

  for (const [name, aheadMs] of [
    ['a bit more than a minute', 60_001],
    ['an hour', 3_600_000],
    ['a day', 86_400_000],
    ['a year', 365 * 86_400_000],
  ] as const) {
    const ahead = counters({ countedAt: new Date(now.getTime() + aheadMs), calls: all(2n), spent: all(20n) });

    test(`a clock that was ahead by ${name} hands its counts over to the present windows`, () => {
      const decision = decide({ key: { callLimits: [{ calls: 3, per: 'minute' }], counters: ahead } });
      assert.ok(decision.admitted);
      const { countedAt, calls, spent } = decision.counters;
      assert.deepEqual([countedAt, calls, spent], [now, all(3n), all(30n)]);
      assert.equal(clockBackMs(ahead, decision.counters), aheadMs);
    });

    test(`a clock that was ahead by ${name} blocks a key for no longer than a minute`, () => {
      const limited = { callLimits: [{ calls: 2, per: 'minute' as const }] };
      const refused = decide({ key: { ...limited, counters: ahead } });
      assert.ok(!refused.admitted && refused.counters);
      assert.equal(refused.refusal.retryAfterSeconds, 30);
      assert.equal(clockBackMs(ahead, refused.counters), aheadMs);
      const parts = { key: { ...limited, counters: refused.counters } };
      const again = decide(parts, new Date('2026-05-15T10:20:59.999Z'));
      assert.ok(!again.admitted);
      assert.equal(again.counters, undefined, 'it is found once');
      const served = decide(parts, new Date('2026-05-15T10:21:00Z'));
      assert.ok(served.admitted);
      assert.deepEqual(served.counters.calls, { ...all(3n), minute: 1n });
      assert.equal(served.counters.clockBackAt, null);
    });
  }

  test('a day’s limit that was used up by a clock a day ahead holds until the present day ends', () => {
    const limited = { callLimits: [{ calls: 2, per: 'day' as const }] };
    const ahead = counters({ countedAt: new Date(now.getTime() + 86_400_000), calls: all(2n) });
    const refused = decide({ key: { ...limited, counters: ahead } });
    assert.ok(!refused.admitted && refused.counters);
    const parts = { key: { ...limited, counters: refused.counters } };
    assert.equal(codeOf(parts, new Date('2026-05-15T23:59:59.999Z')), 'call_limit_exceeded');
    assert.equal(codeOf(parts, new Date('2026-05-16T00:00:00Z')), 'admitted');
  });

  test('a window that has passed admits again', () => {
    const limited = { callLimits: [{ calls: 1, per: 'minute' as const }], counters: counters({ calls: all(1n) }) };
    assert.equal(codeOf({ key: limited }, new Date('2026-05-15T10:21:00Z')), 'admitted');
  });

  const admittedAt = (per: Window, calls: number, times: readonly Date[]) => {
    let state = counters({ countedAt: null });
    const admitted: { state: KeyCounters; looks: Date[] }[] = [];
    let looks: Date[] = [];
    for (const at of times) {
      looks = [...looks, at];
      const seq = BigInt(admitted.length);
      const decision = decide({ account: { seq }, key: { callLimits: [{ calls, per }], counters: state } }, at);
      if (!decision.admitted) {
        state = decision.counters ?? state;
        continue;
      }
      state = decision.counters;
      admitted.push({ state, looks });
      looks = [at];
    }
    return admitted;
  };
  const steps = (backMsMax: number) =>
    fc
      .array(fc.tuple(fc.integer({ min: 0, max: 600_000 }), fc.integer({ min: 0, max: backMsMax })), { maxLength: 30 })
      .map((all) => {
        let atMs = now.getTime();
        return all.map(([onMs, backMs]) => new Date((atMs += onMs) - backMs));
      });

  test('never more calls of a window are admitted than it allows, by a clock that is behind by up to a minute', () =>
    fc.assert(
      fc.property(fc.constantFrom(...windows), fc.integer({ min: 1, max: 3 }), steps(60_000), (per, calls, times) => {
        const counts = new Map<string, number>();
        for (const { state } of admittedAt(per, calls, times)) {
          const window = per === 'total' ? 'total' : windowName(per, Number(state.countedAt?.getTime()));
          counts.set(window, (counts.get(window) ?? 0) + 1);
        }
        for (const count of counts.values()) assert.ok(count <= calls);
      }),
    ));

  test('never more calls are admitted from the begin of a window to the next, and no jump begins one, whatever the times are', () =>
    fc.assert(
      fc.property(
        fc.constantFrom(...windows),
        fc.integer({ min: 1, max: 3 }),
        steps(100_000_000),
        (per, calls, times) => {
          const admitted = admittedAt(per, calls, times);
          for (const [index, { state, looks }] of admitted.entries()) {
            const count = BigInt(index + 1) - state.since[per] + 1n;
            assert.equal(state.calls[per], count);
            assert.ok(count <= BigInt(calls));
            const before = admitted[index - 1];
            if (before === undefined || state.since[per] === before.state.since[per]) continue;
            const names = looks.map((time) => windowName(per === 'total' ? 'month' : per, time.getTime()));
            assert.ok(new Set(names).size > 1, 'a window begins by the time that passed');
          }
        },
      ),
    ));
});

describe('settling corrects the counters', () => {
  const before = counters({ calls: all(3n), spent: all(100n), runningTasks: 2 });
  const settled = { seq: 5n, admittedAt: now, held: micros(30n), charged: micros(12n), isTask: true };

  test('in every window that the admission still lies in', () => {
    const after = correctedCounters(before, settled);
    assert.deepEqual(after, { ...before, spent: all(82n), runningTasks: 1 });
  });

  test('but not in windows that began after the admission', () => {
    const admittedAt = new Date('2026-05-15T09:00:00Z');
    const { spent } = correctedCounters(before, { ...settled, admittedAt });
    assert.deepEqual(spent, { minute: 100n, hour: 100n, day: 82n, month: 82n, total: 82n });
  });

  test('in those windows that its call counts in, whatever the clock was', () => {
    const since = { minute: 6n, hour: 5n, day: 2n, month: 1n, total: 1n };
    const { spent } = correctedCounters({ ...before, since }, { ...settled, admittedAt: new Date(0) });
    assert.deepEqual(spent, { ...all(82n), minute: 100n });
  });

  test('never below zero', () => {
    const { spent } = correctedCounters(counters({ spent: all(10n), runningTasks: 1 }), settled);
    assert.deepEqual(spent, all(0n));
    assert.equal(correctedCounters(counters(), settled).runningTasks, 0);
  });

  test('and leaves the running tasks alone when it was a call', () => {
    assert.equal(correctedCounters(before, { ...settled, isTask: false }).runningTasks, 2);
  });
});

describe('the state of the tightest limit', () => {
  const state = (callLimits: KeyState['callLimits'], calls: bigint) =>
    rateState({ callLimits, counters: counters({ calls: all(calls) }) }, now);

  test('is that with the least left', () => {
    const limits = [
      { calls: 100, per: 'day' as const },
      { calls: 5, per: 'minute' as const },
    ];
    assert.deepEqual(state(limits, 3n), { limit: 5, remaining: 2, resetSeconds: 30 });
  });
  test('never goes below zero left, as a limit that was lowered would have it', () => {
    assert.deepEqual(state([{ calls: 2, per: 'total' }], 3n), { limit: 2, remaining: 0, resetSeconds: 0 });
  });
  test('is nothing for a key without limits', () => assert.equal(state([], 3n), undefined));
});

function windowName(per: Exclude<(typeof windows)[number], 'total'>, at: number): string {
  return new Date(at).toISOString().slice(0, { minute: 16, hour: 13, day: 10, month: 7 }[per]);
}

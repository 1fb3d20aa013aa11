/** The longest result that a task delivers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lengthsOf } from '../../src/domain/billing/result-length.ts';
import { modelOf } from './requests/cases.ts';

for (const [audioDurationMs, maxSeconds] of [
  [0, 1],
  [1_000, 2.02],
  [12_400, 13.648],
  [600_000, 613],
] as const) {
  test(`for ${audioDurationMs} ms of audio a video may last ${maxSeconds} s`, () => {
    const facts = { kind: 'avatar_talk', audioDurationMs } as const;
    assert.deepEqual(lengthsOf(modelOf('avatar-talk'), facts), { maxSeconds });
  });
}

test('an avatar video may last as long as its model may', () => {
  const facts = { kind: 'video', request: { durationSeconds: 5 } } as const;
  assert.deepEqual(lengthsOf(modelOf('avatar-video', { limits: { maxSeconds: 60 } }), facts), { maxSeconds: 60 });
});

test('of a plain video the charge is bounded, not the length', () => {
  const facts = { kind: 'video', request: { durationSeconds: 5 } } as const;
  assert.deepEqual(lengthsOf(modelOf('video'), facts), { maxSeconds: null, askedSeconds: 5 });
});

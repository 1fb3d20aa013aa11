/** What Replicate's models put out, whose forms no documentation bounds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replicateWire } from '../../../src/providers/replicate/wire.ts';
import { imageJob } from '../../support/jobs.ts';

const wire = replicateWire({
  ...{ name: 'up', kind: 'replicate', secrets: { api_key: 'r8_key' }, numbers: {}, headers: {} },
  ...{ timeoutMs: 1_000, idleTimeoutMs: 1_000, deadlineMs: 1_000 },
});
const polled = (output: unknown) => {
  const answer = { status: 200, headers: {}, json: { status: 'succeeded', output }, text: '' };
  return wire.polled(answer, imageJob({}), 'job');
};

test('files are found in lists and objects', () => {
  const url = 'https://replicate.delivery/one.png';
  for (const output of [url, [url], { image: url }, { images: [{ url }] }])
    assert.deepEqual(polled(output), { state: 'succeeded', files: [{ url }] });
});

test('an output of endless brackets ends the task at once', () => {
  let deep: unknown = 'https://replicate.delivery/one.png';
  for (let depth = 0; depth < 1_000_000; depth++) deep = [deep];
  assert.equal(polled(deep).state, 'failed');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitSeconds } from '../../src/tasks/wait/wait-for-task.ts';

for (const [prefer, seconds] of [
  ['', 7],
  ['wait=0', 0],
  ['wait=10', 10],
  ['wait="10"', 10],
  ['WAIT = 10', 10],
  ['wait=300', 300],
  ['wait=301', 300],
  ['wait=999999999', 300],
  ['respond-async, wait=10', 10],
  ['wait=10, wait=20', 10],
  ['wait=10; foo=bar', 10],
  ['return=minimal', 7],
  ['wait', 7],
  ['wait=', 7],
  ['wait=-1', 7],
  ['wait=1.5', 7],
  ['wait=soon', 7],
  ['wait=10s', 7],
  ['await=10', 7],
] as const) {
  test(`'Prefer: ${prefer}' waits ${seconds} s where 7 s are the default`, () => {
    assert.equal(waitSeconds({ get: (name: string) => (name === 'Prefer' ? prefer : '') }, 7), seconds);
  });
}

/** Sealed bodies: no plain text in them, opened only at their own place, and by a secret that is still set. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deriveKeys } from '../../src/config/secrets.ts';
import { BodySecretGone, openBodies, sealBodies } from '../../src/bodies/seal-body.ts';

const old = deriveKeys(['a'.repeat(32)]);
const both = deriveKeys(['b'.repeat(32), 'a'.repeat(32)]);
const place = { account: 'acc_1', requestId: 'req_1', id: 'body_1' };
const text = { text: 'tell me a secret', bytes: 16, cut: false };
const bodies = { request: { ...text, kind: 'form' as const }, answer: null };

test('what was sealed is opened again, also once another secret has come first', async () => {
  const sealed = await sealBodies(old, place, bodies);
  assert.equal(sealed.includes('secret'), false);
  assert.deepEqual(await openBodies(old, place, sealed), bodies);
  assert.deepEqual(await openBodies(both, place, sealed), bodies);
  assert.notDeepEqual(await sealBodies(old, place, bodies), sealed);
});

test('a body of another account, request or id is refused, and so is one that was changed', async () => {
  const sealed = await sealBodies(old, place, bodies);
  for (const other of [{ account: 'acc_2' }, { requestId: 'req_2' }, { id: 'body_2' }]) {
    await assert.rejects(openBodies(old, { ...place, ...other }, sealed), /unable to authenticate/);
  }
  for (const at of [9, 25, sealed.length - 1]) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    await assert.rejects(openBodies(old, place, changed), /unable to authenticate/);
  }
});

test("a body whose operator's secret is gone says so", async () => {
  const sealed = await sealBodies(old, place, bodies);
  await assert.rejects(openBodies(deriveKeys(['b'.repeat(32)]), place, sealed), BodySecretGone);
});

test('one that was sealed before kinds were kept is text', async () => {
  const before: object = { request: text, answer: null };
  const sealed = await sealBodies(old, place, before as typeof bodies);
  assert.deepEqual((await openBodies(old, place, sealed)).request, { ...text, kind: 'text' });
});

/** The addresses that providers are handed, and which of them are known again when the gateway has moved. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TaskId } from '../../src/domain/ids.ts';
import type { LinkKeys } from '../../src/tasks/provider-calls/signed-links.ts';
import { providerAddresses } from '../../src/tasks/provider-calls/provider-addresses.ts';

const [oldKey, newKey] = [
  { id: '0ld', links: Buffer.alloc(32, 1) },
  { id: 'n3w', links: Buffer.alloc(32, 2) },
];
const addressesOf = (publicUrl: string, ...all: [LinkKeys['first'], ...LinkKeys['all']]) =>
  providerAddresses({ publicUrl: () => publicUrl, secrets: { first: all[0], all } });
const task = { id: 'img_0199abc' as TaskId };
const before = addressesOf('http://old.example:8080', oldKey);

test('a hook is known again after the public address has changed and the secret was rotated', () => {
  const hook = before.hook(task, 1);
  const now = addressesOf('https://gate.example/prefix', newKey, oldKey);
  assert.notEqual(now.hook(task, 1), hook);
  assert.ok(now.isHook(hook, task, 1));
  assert.ok(now.isHook(now.hook(task, 1), task, 1));
});

test('a hook of another task, of another route or under an unknown secret is none', () => {
  const hook = before.hook(task, 1);
  assert.equal(before.isHook(hook, { id: 'img_0199abd' as TaskId }, 1), false);
  assert.equal(before.isHook(hook, task, 0), false);
  assert.equal(before.isHook(hook.replace('/1?', '/11?'), task, 11), false);
  assert.equal(addressesOf('http://old.example:8080', newKey).isHook(hook, task, 1), false);
  for (const other of ['', 'no address', 'http://old.example:8080/hooks/img_0199abc/1'])
    assert.equal(before.isHook(other, task, 1), false);
});

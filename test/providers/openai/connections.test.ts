import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openConnections } from '../../../src/providers/openai/connections.ts';

test('connections are lent up to their number, the last one back first, and a discarded one makes room', async () => {
  const connections = openConnections('http://127.0.0.1:9', 2, {});
  const [one, two] = [connections.take(), connections.take()];
  assert.ok(one && two && one !== two);
  assert.equal(connections.take(), undefined);
  connections.giveBack(one);
  connections.giveBack(two);
  assert.equal(connections.take(), two);
  connections.discard(two);
  connections.giveBack(two);
  assert.equal(connections.take(), one);
  const three = connections.take();
  assert.ok(three && three !== two);
  assert.equal(connections.take(), undefined);
  assert.equal(two.destroyed, true);
  await connections.close();
  assert.deepEqual([one.destroyed, three.destroyed], [true, true]);
});

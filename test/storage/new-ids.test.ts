/** New ids: a process's own sort in the order in which they were made, however fast it makes them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newRequestId, newTransferId } from '../../src/postgres/new-ids.ts';

test('ids that one process makes within a millisecond sort in the order in which they were made', () => {
  const ids = Array.from({ length: 1000 }, newRequestId);
  assert.deepEqual(ids.toSorted(), ids);
  assert.equal(new Set(ids).size, ids.length);
});

test('an id is a UUIDv7 of the moment at which it was made', () => {
  const before = Date.now();
  const id = newTransferId();
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const madeAt = Number.parseInt(id.replace('-', '').slice(0, 12), 16);
  assert.ok(madeAt >= before && madeAt <= Date.now());
});

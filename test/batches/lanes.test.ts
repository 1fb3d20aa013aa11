/** So many things at a time, and room for more as soon as one is done. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Lanes } from '../../src/batches/lanes.ts';

/** Lanes whose work ends when it is let go. */
function held(most: number) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const lanes = new Lanes<string>(most, (one) => {
    begun.push(one);
    return new Promise((resolve) => ends.set(one, resolve));
  });
  return { lanes, begun, end: (one: string) => ends.get(one)?.() };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('lanes', () => {
  test('work on so many at a time, in their order', async () => {
    const { lanes, begun, end } = held(2);
    lanes.add(['a', 'b', 'c', 'd']);
    assert.deepEqual(begun, ['a', 'b']);
    end('b');
    await turn();
    assert.deepEqual(begun, ['a', 'b', 'c']);
    for (const one of ['a', 'c']) end(one);
    await turn();
    end('d');
    await lanes.ended();
    assert.deepEqual([begun, lanes.isBusy], [['a', 'b', 'c', 'd'], false]);
  });

  test('have room as soon as one finds nothing to take, while a slow one goes on', async () => {
    const { lanes, begun, end } = held(2);
    lanes.add(['slow', 'quick']);
    end('quick');
    await lanes.free();
    lanes.add(['next', 'last']);
    assert.deepEqual([begun, lanes.isBusy], [['slow', 'quick', 'next'], true]);
    end('next');
    await turn();
    assert.equal(begun.at(-1), 'last');
    for (const one of ['slow', 'last']) end(one);
    await lanes.ended();
  });

  test('take nothing more once they are closed, and wait for what they work on', async () => {
    const { lanes, begun, end } = held(1);
    lanes.add(['a', 'b']);
    lanes.close();
    const ended = lanes.ended();
    end('a');
    await ended;
    assert.deepEqual(begun, ['a']);
    await lanes.free();
  });
});

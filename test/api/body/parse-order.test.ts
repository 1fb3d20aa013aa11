/** Large bodies are parsed one after the other, with rests; small ones at once. */
import assert from 'node:assert/strict';
import { setImmediate as nextEventLoopTurn } from 'node:timers/promises';
import { test } from 'node:test';
import { parseInOrder } from '../../../src/api/body/parse-order.ts';

const large = 1_000_000;

test('of large bodies that come at once each is parsed when others have had as long as the one before it took', async () => {
  const parsed: { from: number; to: number }[] = [];
  const busyFor = (ms: number) => () => {
    const from = performance.now();
    while (performance.now() - from < ms);
    parsed.push({ from, to: performance.now() });
  };
  let [turns, isOver] = [0, false];
  const others = (async () => {
    for (; !isOver; turns++) await nextEventLoopTurn();
  })();
  await Promise.all([20, 30, 5].map(async (ms) => await parseInOrder(large, busyFor(ms))));
  isOver = true;
  await others;
  assert.equal(parsed.length, 3);
  for (const [at, { from }] of parsed.slice(1).entries()) {
    const before = parsed[at];
    assert.ok(before && from - before.to >= before.to - before.from - 2, 'timers go off up to 2 ms early');
  }
  assert.ok(turns >= 2, 'the event loop went on between them');
});

test('a body that can not be parsed holds up no other', async () => {
  const broken = async () =>
    await parseInOrder(large, () => {
      throw new SyntaxError('no JSON');
    });
  await assert.rejects(broken, SyntaxError);
  assert.equal(await parseInOrder(large, () => 1), 1);
});

test('a small body waits for no turn', () =>
  assert.equal(
    parseInOrder(2_000, () => 1),
    1,
  ));

/** Large bodies are parsed one in a turn, small ones at once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTurn } from '../../../src/api/body/parse-turn.ts';

test('of ten large bodies that come at once each has a turn of the event loop to itself', async () => {
  let [turn, isOver] = [0, false];
  const count = (): unknown => (turn++, isOver || setImmediate(count));
  count();
  const turnOf = async () => {
    await parseTurn(1_000_000);
    return turn;
  };
  const turns = await Promise.all(Array.from({ length: 10 }, turnOf));
  isOver = true;
  assert.equal(new Set(turns).size, 10);
});

test('a small body waits for no turn', () => assert.equal(parseTurn(2_000), undefined));

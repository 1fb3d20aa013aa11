/** The life of a task, move by move. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  finalTaskStates,
  isFinal,
  mayMove,
  publicStatus,
  taskStates,
  type TaskState,
} from '../../src/domain/tasks/task-states.ts';

const moves: Record<TaskState, readonly TaskState[]> = {
  accepted: ['running', 'succeeded', 'failed', 'cancelled'],
  running: ['succeeded', 'failed', 'cancelled'],
  succeeded: [],
  failed: [],
  cancelled: [],
};

for (const from of taskStates) {
  for (const to of taskStates) {
    const allowed = moves[from].includes(to);
    test(`a task that is ${from} ${allowed ? 'may' : 'may not'} become ${to}`, () =>
      assert.equal(mayMove(from, to), allowed));
  }
}

test('final are exactly the states that nothing follows', () => {
  assert.deepEqual(
    taskStates.filter((state) => moves[state].length === 0),
    [...finalTaskStates],
  );
  for (const state of taskStates) assert.equal(isFinal(state), moves[state].length === 0, state);
});

for (const [state, shown] of [
  ['accepted', 'processing'],
  ['running', 'processing'],
  ['succeeded', 'succeeded'],
  ['failed', 'failed'],
  ['cancelled', 'failed'],
] as const) {
  test(`callers see ${state} as ${shown}`, () => assert.equal(publicStatus(state), shown));
}

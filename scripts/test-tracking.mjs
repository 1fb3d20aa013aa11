/**
 * Turns node:test's tracking of asynchronous work off and on, and Temporal's off. The one follows every promise of the
 * process from its making to its collection, to find the suite in which a test is registered: with the collector's part a
 * fifth of the CPU of a run. Import this before node:test.
 */
import hooks from 'node:async_hooks';
import v8 from 'node:v8';

const { createHook } = hooks;
let tracking;

// node:test makes its only hook when the first test is registered.
hooks.createHook = (callbacks) => {
  hooks.createHook = createHook;
  return (tracking = createHook(callbacks));
};

export const testTracking = {
  on: () => tracking?.enable(),
  off: () => tracking?.disable(),
};

// Temporal's SDK follows each promise of a thread from the first workflow that runs there, to have stack traces of workflows,
// for which no test asks. Node's own hooks, the only others, follow a promise's turns too.
const { createHook: createPromiseHook } = v8.promiseHooks;
v8.promiseHooks.createHook = (callbacks) => (callbacks.before ? createPromiseHook(callbacks) : () => undefined);

/**
 * A session that ends in the middle of something. Calls that find it ended wait here while the reader signs in again, in
 * a dialog over the page, and are then sent once more: nothing typed is lost.
 */
import { createStore } from './store.ts';

/** Whether calls wait for a new sign-in; the dialog follows it. */
export const signInWanted = createStore(false);

let waiting: PromiseWithResolvers | undefined;
let signIns = 0;

/** How often a session was renewed: a call notes it when it is sent. */
export const signInsSoFar = (): number => signIns;

interface PromiseWithResolvers {
  promise: Promise<void>;
  resolve: () => void;
}

/**
 * Asks for a new sign-in, unless there was one since the call noted `sentAfter`: its answer came late. Resolves once there
 * is one; many calls at once wait for the same.
 */
export function signInAgain(sentAfter: number): Promise<void> {
  if (sentAfter !== signIns) return Promise.resolve();
  if (!waiting) {
    let resolve = (): void => undefined;
    const promise = new Promise<void>((done) => (resolve = done));
    waiting = { promise, resolve };
    signInWanted.set(true);
  }
  return waiting.promise;
}

/** Resumes all waiting calls: the same person is signed in again. */
export function signedInAgain(): void {
  const done = waiting;
  waiting = undefined;
  signIns += 1;
  signInWanted.set(false);
  done?.resolve();
}

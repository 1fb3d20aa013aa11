/**
 * A session that ends in the middle of something. Calls that find it ended wait here while the reader signs in again, in
 * a dialog over the page, and are then sent once more: nothing typed is lost.
 */
import { createStore } from './store.ts';

/** Whether calls wait for a new sign-in; the dialog follows it. */
export const signInWanted = createStore(false);

let waiting: PromiseWithResolvers | undefined;

interface PromiseWithResolvers {
  promise: Promise<void>;
  resolve: () => void;
}

/** Asks for a new sign-in. Resolves once there is one; many calls at once wait for the same. */
export function signInAgain(): Promise<void> {
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
  signInWanted.set(false);
  done?.resolve();
}

/** One value that components follow: the smallest thing that `useSyncExternalStore` takes. */
import { useSyncExternalStore } from 'react';

export interface Store<Value> {
  get: () => Value;
  set: (value: Value) => void;
  /** Calls back after each change; the returned function stops that. */
  follow: (notify: () => void) => () => void;
}

export function createStore<Value>(first: Value): Store<Value> {
  let value = first;
  const followers = new Set<() => void>();
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return;
      value = next;
      for (const notify of followers) notify();
    },
    follow: (notify) => {
      followers.add(notify);
      return () => followers.delete(notify);
    },
  };
}

export const useStore = <Value>(store: Store<Value>): Value => useSyncExternalStore(store.follow, store.get);

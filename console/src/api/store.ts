/** One value that components follow: the smallest thing that `useSyncExternalStore` takes. */
import { useSyncExternalStore } from 'react';

export interface Store<Value> {
  get: () => Value;
  set: (value: Value) => void;
  /** Calls back after each change; what it answers stops that. */
  follow: (tell: () => void) => () => void;
}

export function createStore<Value>(first: Value): Store<Value> {
  let value = first;
  const followers = new Set<() => void>();
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return;
      value = next;
      for (const tell of followers) tell();
    },
    follow: (tell) => {
      followers.add(tell);
      return () => followers.delete(tell);
    },
  };
}

export const useStore = <Value>(store: Store<Value>): Value => useSyncExternalStore(store.follow, store.get);

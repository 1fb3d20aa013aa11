/** The calls that were made on a page, newest first. What they gave is in the tab's memory, so a reload puts it away. */
import { createStore, useStore, type Store } from '../../../api/store.ts';
import { useDraftName } from './draft.ts';

export interface Made<Result> {
  /** Finds its cost in the ledger. */
  requestId: string;
  /** What was asked for, in the words of the form. */
  label: string;
  result: Result;
}

const callsMax = 12;

/** The calls of one page, by person and account; they stay while the reader looks elsewhere. `forget` frees a result. */
export function createCalls<Result>(page: string, forget: (result: Result) => void = () => undefined) {
  const stores = new Map<string, Store<readonly Made<Result>[]>>();
  const storeOf = (name: string) => {
    let store = stores.get(name);
    if (!store) stores.set(name, (store = createStore<readonly Made<Result>[]>([])));
    return store;
  };
  return function useCalls() {
    const store = storeOf(useDraftName(page));
    const keep = (calls: readonly Made<Result>[]) => {
      for (const { result } of store.get().filter((call) => !calls.includes(call))) forget(result);
      store.set(calls);
    };
    return {
      calls: useStore(store),
      made: (call: Made<Result>) => keep([call, ...store.get()].slice(0, callsMax)),
      remove: (id: string) => keep(store.get().filter(({ requestId }) => requestId !== id)),
    };
  };
}

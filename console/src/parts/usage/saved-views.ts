/** Choices of a usage page that a person has given a name to: kept in this browser, for each person and account. */
import { createStore, type Store, useStore } from '../../api/store.ts';
import { isRecord, listOf, textOf } from '../json.ts';
import { randomHex } from '../random-hex.ts';

export interface SavedView {
  id: string;
  name: string;
  /** The page's address behind the `?`. */
  search: string;
}

export const viewsMax = 30;
export const nameMax = 60;

const stores = new Map<string, Store<readonly SavedView[]>>();

/** The views under a key of the browser's storage, by their names, and what can be done with them. */
export function useSavedViews(key: string) {
  const store = storeOf(key);
  const put = (views: readonly SavedView[]) => {
    store.set(views.toSorted((one, other) => one.name.localeCompare(other.name)));
    try {
      localStorage.setItem(key, JSON.stringify(store.get()));
    } catch {
      // A browser that keeps nothing has them until the next reload.
    }
  };
  return {
    views: useStore(store),
    /** Under a name that another has, it takes the other's place. */
    save: (name: string, search: string) =>
      put([...store.get().filter((view) => view.name !== name), { id: randomHex(), name, search }]),
    rename: (id: string, name: string) =>
      put(
        store
          .get()
          .filter((view) => view.id === id || view.name !== name)
          .map((view) => (view.id === id ? { ...view, name } : view)),
      ),
    remove: (id: string) => put(store.get().filter((view) => view.id !== id)),
  };
}

function storeOf(key: string): Store<readonly SavedView[]> {
  let store = stores.get(key);
  if (!store) stores.set(key, (store = createStore(read(key))));
  return store;
}

function read(key: string): readonly SavedView[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return listOf(stored).filter(isRecord).flatMap(readView).slice(0, viewsMax);
  } catch {
    return [];
  }
}

function readView({ id, name, search }: Readonly<Record<string, unknown>>): SavedView[] {
  if (typeof id !== 'string' || typeof search !== 'string' || textOf(name) === '') return [];
  return [{ id, name: textOf(name), search }];
}

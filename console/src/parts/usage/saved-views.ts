/** Choices of a usage page that a person has given a name to: kept in this browser, for each person and account. */
import { useStore } from '../../api/store.ts';
import { type JsonRecord, textOf } from '../json.ts';
import { keep, keptLists } from '../kept-list.ts';
import { randomHex } from '../random-hex.ts';

export interface SavedView {
  id: string;
  name: string;
  /** The page's address behind the `?`. */
  search: string;
}

export const viewsMax = 30;
export const nameMax = 60;

const listOfKey = keptLists(readView, viewsMax);

/** The views under a key of the browser's storage, by their names, and what can be done with them. */
export function useSavedViews(key: string) {
  const list = listOfKey(key);
  const put = (views: readonly SavedView[]) =>
    keep(
      key,
      list,
      views.toSorted((one, other) => one.name.localeCompare(other.name)),
    );
  return {
    views: useStore(list),
    /** Under a name that another has, it takes the other's place. */
    save: (name: string, search: string) =>
      put([...list.get().filter((view) => view.name !== name), { id: randomHex(), name, search }]),
    rename: (id: string, name: string) =>
      put(
        list
          .get()
          .filter((view) => view.id === id || view.name !== name)
          .map((view) => (view.id === id ? { ...view, name } : view)),
      ),
    remove: (id: string) => put(list.get().filter((view) => view.id !== id)),
  };
}

function readView({ id, name, search }: JsonRecord): SavedView[] {
  if (typeof id !== 'string' || typeof search !== 'string' || textOf(name) === '') return [];
  return [{ id, name: textOf(name), search }];
}

/** A list that this browser keeps under a name. What is kept was written by any version of the console, so it is read as from outside. */
import { createStore, type Store } from '../api/store.ts';
import { isRecord, type JsonRecord, listOf } from './json.ts';

/**
 * Finds the one list of a name, on all pages, with the first `entriesMax` of what is kept; `read` makes an entry of it, and none
 * of what it does not know.
 */
export function keptLists<Entry>(
  read: (entry: JsonRecord) => readonly Entry[],
  entriesMax: number,
): (name: string) => Store<readonly Entry[]> {
  const lists = new Map<string, Store<readonly Entry[]>>();
  return (name) => {
    const known = lists.get(name);
    if (known) return known;
    const list = createStore<readonly Entry[]>(stored(name).flatMap(read).slice(0, entriesMax));
    lists.set(name, list);
    return list;
  };
}

/** A browser that keeps nothing, or has no room, has the new list until the next reload, and then the one before. */
export function keep<Entry>(name: string, list: Store<readonly Entry[]>, entries: readonly Entry[]): void {
  list.set(entries);
  try {
    if (entries.length === 0) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(entries));
  } catch {
    // It has no room, or keeps nothing.
  }
}

function stored(name: string): JsonRecord[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(name) ?? '[]');
    return listOf(value).filter(isRecord);
  } catch {
    return [];
  }
}

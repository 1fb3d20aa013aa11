/** What the page's address says of the entries that are to be shown. */
import { useSearchParams } from 'react-router';
import { isDay, rangeOf } from '../../parts/days.ts';

export const entryTypes = ['credit', 'hold', 'capture', 'release', 'adjustment', 'write_off'] as const;
export type EntryType = (typeof entryTypes)[number];

export const views = ['transfers', 'entries'] as const;
export type View = (typeof views)[number];

export interface Filter {
  /** A row for each call, or for each entry; undefined: as the type suggests. */
  view: View | undefined;
  type: EntryType | undefined;
  model: string | undefined;
  key: string | undefined;
  /** Of a task, a request or a batch. */
  id: string | undefined;
  /** Days, both included. */
  from: string | undefined;
  to: string | undefined;
}

/** The filter, whether there is any, and how to change it. */
export function useFilter(): [Filter, boolean, (change: Partial<Filter>) => void] {
  const [search, setSearch] = useSearchParams();
  const text = (name: string) => search.get(name) ?? undefined;
  const day = (name: string) => [search.get(name)].find(isDay);
  const filter: Filter = {
    view: views.find((view) => view === search.get('view')),
    type: entryTypes.find((type) => type === search.get('type')),
    model: text('model'),
    key: text('key'),
    id: text('id'),
    from: day('from'),
    to: day('to'),
  };
  const change = (wanted: Partial<Filter>) =>
    setSearch(named(Object.entries({ ...filter, ...wanted })), { replace: true });
  return [filter, named(Object.entries({ ...filter, view: undefined })).length > 0, change];
}

/** Entries of one type are entries. */
export const viewOf = ({ view, type }: Filter): View => (type === undefined ? (view ?? 'transfers') : 'entries');

/** The filter as the API takes it. */
export const queryOf = (zone: string, { type, model, key, id, from, to }: Filter) => ({
  ...(type && { type }),
  ...(model !== undefined && { model }),
  ...(key !== undefined && { key_id: key }),
  ...(id !== undefined && subjectOf(id)),
  ...rangeOf(zone, { from, to }),
});

const subjectOf = (id: string) =>
  /^(img|vid|avt)_/.test(id) ? { task_id: id } : id.startsWith('batch_') ? { batch_id: id } : { request_id: id };

/** Whether an id may be one at all. */
export const isId = (text: string): boolean => /^[\w.-]{1,128}$/.test(text);

const named = (entries: readonly [string, string | undefined][]): [string, string][] =>
  entries.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value]]));

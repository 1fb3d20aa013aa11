/** The filters of the list as the address has them: what is no filter there is left out, so that any address shows something. */
import { useSearchParams } from 'react-router';
import { isDay, rangeOf } from '../../parts/days.ts';
import { searchNow } from '../../parts/filters/search-now.ts';

const allowed = {
  kind: ['image', 'video', 'avatar_talk'],
  status: ['processing', 'succeeded', 'failed', 'cancelled', 'removed'],
} as const;

export interface Filters {
  kind?: (typeof allowed.kind)[number];
  status?: (typeof allowed.status)[number];
  model?: string;
  key?: string;
  id?: string;
  /** Days, both included, such as `2026-11-21`. */
  from?: string;
  to?: string;
}
export type FilterName = keyof Filters;

export const kinds = allowed.kind;
export const statuses = allowed.status;

const idForm = /^\w{1,64}$/;
export const isTaskId = (text: string): boolean => idForm.test(text);

export interface FiltersInUrl {
  filters: Filters;
  isAny: boolean;
  /** Sets one, or clears it. */
  set: (name: FilterName, value: string | undefined) => void;
  /** Sets or clears several. */
  setAll: (change: Partial<Record<FilterName, string | undefined>>) => void;
  clear: () => void;
}

export function useFilters(): FiltersInUrl {
  const [search, setSearch] = useSearchParams();
  const filters = filtersOf(search);
  const setAll: FiltersInUrl['setAll'] = (change) => {
    const next = searchNow();
    for (const [name, value] of Object.entries(change)) {
      if (value === undefined || value === '') next.delete(name);
      else next.set(name, value);
    }
    setSearch(next, { replace: true });
  };
  const set: FiltersInUrl['set'] = (name, value) => setAll({ [name]: value });
  return {
    filters,
    isAny: Object.keys(filters).length > 0,
    set,
    setAll,
    clear: () => setSearch({}, { replace: true }),
  };
}

function filtersOf(search: URLSearchParams): Filters {
  const kind = kinds.find((one) => one === search.get('kind'));
  const status = statuses.find((one) => one === search.get('status'));
  const model = search.get('model')?.slice(0, 256);
  const [key, id] = [matching(search.get('key'), idForm), matching(search.get('id'), idForm)];
  const [from, to] = [day(search.get('from')), day(search.get('to'))];
  const isRange = from === undefined || to === undefined || from <= to;
  return {
    ...(kind && { kind }),
    ...(status && { status }),
    ...(model && { model }),
    ...(key !== undefined && { key }),
    ...(id !== undefined && { id }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && isRange && { to }),
  };
}

/** The query of the API, with the days of the zone. */
export const queryOf = (zone: string, { from, to, ...rest }: Filters) => ({ ...rest, ...rangeOf(zone, { from, to }) });

const matching = (text: string | null, form: RegExp): string | undefined =>
  text !== null && form.test(text) ? text : undefined;

const day = (text: string | null): string | undefined => [text].find(isDay);

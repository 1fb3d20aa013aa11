/** The filters of the list as the address has them: what is no filter there is left out, so that any address shows something. */
import { useSearchParams } from 'react-router';

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
  /** Days in the reader's zone, both included, such as `2026-11-21`. */
  from?: string;
  to?: string;
}
export type FilterName = keyof Filters;

export const kinds = allowed.kind;
export const statuses = allowed.status;

const idForm = /^\w{1,64}$/;
const dayForm = /^\d{4}-\d{2}-\d{2}$/;

export interface FiltersInUrl {
  filters: Filters;
  isAny: boolean;
  /** Sets one, or clears it. */
  set: (name: FilterName, value: string | undefined) => void;
  clear: () => void;
}

export function useFilters(): FiltersInUrl {
  const [search, setSearch] = useSearchParams();
  const filters = filtersOf(search);
  const set = (name: FilterName, value: string | undefined) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === undefined || value === '') next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  return { filters, isAny: Object.keys(filters).length > 0, set, clear: () => setSearch({}, { replace: true }) };
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

/** The query of the API: a day is from its midnight to the next one, in the reader's zone. */
export function queryOf({ from, to, ...rest }: Filters) {
  return {
    ...rest,
    ...(from !== undefined && { from: midnight(from, 0) }),
    ...(to !== undefined && { to: midnight(to, 1) }),
  };
}

const matching = (text: string | null, form: RegExp): string | undefined =>
  text !== null && form.test(text) ? text : undefined;

function day(text: string | null): string | undefined {
  const written = matching(text, dayForm);
  return written !== undefined && !Number.isNaN(Date.parse(written)) ? written : undefined;
}

function midnight(written: string, daysLater: number): string {
  const [year = 0, month = 1, dayOfMonth = 1] = written.split('-').map(Number);
  return new Date(year, month - 1, dayOfMonth + daysLater).toISOString();
}

/** What the page's address says of the requests that are to be shown. */
import { useSearchParams } from 'react-router';
import { dayAfter, isDay } from '../days.ts';

const names = ['status', 'model', 'key', 'code', 'id', 'from', 'to', 'account', 'provider'] as const;
type Name = (typeof names)[number];
/** `from` and `to` are days, both included; `id` is a request's. */
export type RequestFilter = Readonly<Record<Name, string | undefined>>;

interface Filtered {
  filter: RequestFilter;
  isFiltered: boolean;
  change: (change: Partial<RequestFilter>) => void;
  clear: () => void;
  /** The id of the request whose details are shown. */
  open: string | undefined;
  show: (request: string | undefined) => void;
}

export function useRequestFilter(): Filtered {
  const [search, setSearch] = useSearchParams();
  const read = (name: Name) => {
    const value = search.get(name);
    return name === 'from' || name === 'to' ? [value].find(isDay) : (value ?? undefined);
  };
  const filter: RequestFilter = {
    ...{ status: read('status'), model: read('model'), key: read('key'), code: read('code'), id: read('id') },
    ...{ from: read('from'), to: read('to'), account: read('account'), provider: read('provider') },
  };
  const set = (wanted: Partial<Record<Name | 'request', string | undefined>>) => {
    const next = new URLSearchParams(search);
    for (const [name, value] of Object.entries(wanted)) {
      if (value === undefined || value === '') next.delete(name);
      else next.set(name, value);
    }
    setSearch(next, { replace: true });
  };
  return {
    filter,
    isFiltered: names.some((name) => filter[name] !== undefined),
    change: set,
    clear: () => set(Object.fromEntries(names.map((name) => [name, undefined]))),
    open: search.get('request') ?? undefined,
    show: (request) => set({ request }),
  };
}

/** The filter as the API takes it. */
export const requestQueryOf = ({ status, model, key, code, id, from, to }: RequestFilter) => ({
  ...(status !== undefined && { status }),
  ...(model !== undefined && { model }),
  ...(key !== undefined && { key_id: key }),
  ...(code !== undefined && { code }),
  ...(id !== undefined && { request_id: id }),
  ...(from !== undefined && { from }),
  ...(to !== undefined && { to: dayAfter(to) }),
});

/** Whether a text may be an id or a code at all. */
export const isPlainId = (text: string): boolean => /^[\w.-]{1,128}$/.test(text);

/** Statuses to choose from; a class first. */
export const statuses = ['2xx', '4xx', '5xx', '400', '401', '402', '403', '404', '429', '499', '500', '502', '503'];

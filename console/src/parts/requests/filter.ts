/** What the page's address says of the requests that are to be shown. */
import { useSearchParams } from 'react-router';
import { isDay, rangeOf } from '../days.ts';
import { activeFilters } from '../filters/active-filters.ts';

const names = [
  ...(['status', 'model', 'key', 'user', 'tag', 'code', 'id'] as const),
  ...(['last', 'from', 'to', 'hour', 'account', 'provider'] as const),
];
type Name = (typeof names)[number];
/**
 * `from` and `to` are days, both included; `hour` is one of theirs, as `2026-11-21T08:00:00+08:00`; `last` is one of `spans`, without
 * them; `id` is a request's.
 */
export type RequestFilter = Readonly<Record<Name, string | undefined>>;

interface Filtered {
  filter: RequestFilter;
  isFiltered: boolean;
  /** How many filters are set. */
  active: number;
  change: (change: Partial<RequestFilter>) => void;
  clear: () => void;
  /** The request whose details are shown: where those of all accounts are listed, with its account. */
  open: { id: string; account: string | undefined } | undefined;
  show: (request: { id: string; account?: string } | undefined) => void;
}

export function useRequestFilter(): Filtered {
  const [search, setSearch] = useSearchParams();
  const read = (name: Name) => {
    const value = search.get(name);
    if (name === 'last') return isSpan(value) ? value : undefined;
    if (name === 'hour' && !isHour(value)) return undefined;
    return name === 'from' || name === 'to' ? [value].find(isDay) : (value ?? undefined);
  };
  const filter: RequestFilter = {
    ...{ status: read('status'), model: read('model'), key: read('key'), code: read('code'), id: read('id') },
    ...{ last: read('last'), from: read('from'), to: read('to'), hour: read('hour') },
    ...{ user: read('user'), tag: read('tag'), account: read('account'), provider: read('provider') },
  };
  const set = (wanted: Partial<Record<Name | 'request' | 'of', string | undefined>>) => {
    const next = new URLSearchParams(search);
    for (const [name, value] of Object.entries(wanted)) {
      if (value === undefined || value === '') next.delete(name);
      else next.set(name, value);
    }
    setSearch(next, { replace: true });
  };
  const active = activeFilters(filter);
  const id = search.get('request');
  return {
    filter,
    isFiltered: active > 0,
    active,
    change: set,
    clear: () => set(Object.fromEntries(names.map((name) => [name, undefined]))),
    open: id === null ? undefined : { id, account: search.get('of') ?? undefined },
    show: (request) => set({ request: request?.id, of: request?.account }),
  };
}

/** How far back a list may reach from now, in hours. */
export const spans = { '1h': 1, '24h': 24 } as const;
export type Span = keyof typeof spans;

export const isSpan = (text: string | null | undefined): text is Span =>
  typeof text === 'string' && Object.hasOwn(spans, text);

const hourMs = 3_600_000;

/** The filter as the API takes it now. */
export const requestQueryOf = (
  zone: string,
  { status, model, key, user, tag, code, id, last, from, to, hour }: RequestFilter,
) => ({
  ...(status !== undefined && { status }),
  ...(model !== undefined && { model }),
  ...(key !== undefined && { key_id: key }),
  ...(code !== undefined && { code }),
  ...(id !== undefined && { request_id: id }),
  ...(user !== undefined && { user }),
  ...(tag !== undefined && { tag }),
  ...(isSpan(last) && { from: new Date(Date.now() - spans[last] * hourMs).toISOString() }),
  ...(hour === undefined ? rangeOf(zone, { from, to }) : { from: momentOf(hour), to: momentOf(hour, hourMs) }),
});

const momentOf = (hour: string, laterMs = 0) => new Date(Date.parse(hour) + laterMs).toISOString();

/** ISO 8601 with an offset. */
const isHour = (text: string | null): boolean =>
  text !== null && /^[\d-]{10}T[\d:]{8}[+-]\d\d:\d\d$/.test(text) && !Number.isNaN(Date.parse(text));

/** Whether a text may be an id or a code at all. */
export const isPlainId = (text: string): boolean => /^[\w.-]{1,128}$/.test(text);

/** Whether a text may be a tag at all. */
export const isTag = (text: string): boolean => /^[\w.:/@-]{1,64}$/.test(text);

/** Statuses to choose from; a class first. */
export const statuses = [
  '2xx',
  'error',
  '4xx',
  '5xx',
  '400',
  '401',
  '402',
  '403',
  '404',
  '429',
  '499',
  '500',
  '502',
  '503',
];

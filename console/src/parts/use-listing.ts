/** A list by pages, newest first, as the API gives lists: forwards by cursor, and back by the cursors that were used. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';

export interface ListPage<Item> {
  data: Item[];
  has_more: boolean;
  next_cursor?: string | null;
}

export interface Listing<Item> {
  items: Item[];
  /** Nothing was read yet. */
  isLoading: boolean;
  /** The last read failed; `items` may still be those of an earlier one. */
  error: unknown;
  isFirstPage: boolean;
  /** Missing where there is nothing to go to. */
  newer: (() => void) | undefined;
  older: (() => void) | undefined;
  newest: () => void;
  refresh: () => void;
}

interface ListingOptions<Item> {
  /** Names the list and all its filters; another key begins at the first page again. */
  key: readonly unknown[];
  /** Reads a page; without a cursor the first. */
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<ListPage<Item>>;
  /** How often the first page is read anew while it is looked at; later pages stay as they are. Default 5 s. */
  refreshMs?: number | false;
}

const refreshMsDefault = 5_000;

export function useListing<Item>({ key, read, refreshMs = refreshMsDefault }: ListingOptions<Item>): Listing<Item> {
  const name = JSON.stringify(key);
  const [position, setPosition] = useState<{ name: string; cursors: string[] }>({ name, cursors: [] });
  const cursors = position.name === name ? position.cursors : [];
  const cursor = cursors.at(-1);
  const page = useQuery({
    queryKey: [...key, { cursor: cursor ?? null }],
    queryFn: ({ signal }) => read(cursor, signal),
    placeholderData: (before, query) => (query?.queryKey[0] === key[0] ? keepPreviousData(before) : undefined),
    refetchInterval: cursor === undefined ? refreshMs : false,
  });
  const goTo = (next: string[]) => setPosition({ name, cursors: next });
  const next = page.data?.has_more === true && !page.isPlaceholderData ? page.data.next_cursor : undefined;
  return {
    items: page.data?.data ?? [],
    isLoading: page.isPending,
    error: page.error,
    isFirstPage: cursor === undefined,
    newer: cursor === undefined ? undefined : () => goTo(cursors.slice(0, -1)),
    older: typeof next === 'string' ? () => goTo([...cursors, next]) : undefined,
    newest: () => goTo([]),
    refresh: () => void page.refetch(),
  };
}

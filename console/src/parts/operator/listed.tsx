/** A list's rows, or the notice that it is being loaded, could not be loaded, or is empty. */
import type { ReactNode } from 'react';
import { EmptyState } from '../empty-state.tsx';
import { ErrorState } from '../error-state.tsx';
import { Loading } from '../loading.tsx';
import { Pager } from '../pager.tsx';
import type { Listing } from '../use-listing.ts';

interface ListedProps<Item> {
  listing: Listing<Item>;
  /** Says what to do. */
  empty: string;
  action?: ReactNode;
  children: (items: Item[]) => ReactNode;
}

export function Listed<Item>({ listing, empty, action, children }: ListedProps<Item>) {
  const { items, isLoading, error, refresh } = listing;
  if (isLoading) return <Loading rows={8} />;
  if (error !== null && items.length === 0) return <ErrorState error={error} onRetry={refresh} />;
  if (items.length === 0) return <EmptyState text={empty} action={action} />;
  return (
    <>
      {children(items)}
      <Pager listing={listing} />
    </>
  );
}

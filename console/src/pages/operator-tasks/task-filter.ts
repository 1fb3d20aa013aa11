/** What the page's address says of the tasks that are to be shown. */
import { dayAfter, isDay } from '../../parts/days.ts';
import { type AddressFilter, useAddressFilter } from '../../parts/filters/use-address-filter.ts';
import { isPlainId } from '../../parts/requests/filter.ts';

const names = ['account', 'status', 'kind', 'model', 'provider', 'code', 'id', 'from', 'to'] as const;
type Name = (typeof names)[number];
export type TaskFilter = AddressFilter<Name>['filter'];

export const statuses = ['processing', 'succeeded', 'failed', 'cancelled', 'removed'] as const;
export const kinds = ['image', 'video', 'avatar_talk'] as const;

const isGood = (name: Name, value: string): boolean => {
  if (name === 'status') return statuses.some((status) => status === value);
  if (name === 'kind') return kinds.some((kind) => kind === value);
  if (name === 'from' || name === 'to') return isDay(value);
  return name === 'model' || isPlainId(value);
};

export const useTaskFilter = (): AddressFilter<Name> => useAddressFilter(names, isGood);

/** The filter as the API takes it: days of UTC, both included. */
export function taskQueryOf({ status, kind, to, ...rest }: TaskFilter) {
  const [asked, made] = [statuses.find((one) => one === status), kinds.find((one) => one === kind)];
  return {
    ...rest,
    ...(asked && { status: asked }),
    ...(made && { kind: made }),
    ...(to !== undefined && { to: dayAfter(to) }),
  };
}

/** Filters of a list that the page's address keeps, so that they can be sent and gone back to. */
import { useSearchParams } from 'react-router';
import { searchNow } from './search-now.ts';

export interface AddressFilter<Name extends string> {
  filter: Readonly<Partial<Record<Name, string>>>;
  isFiltered: boolean;
  /** Sets some; undefined takes one off. */
  change: (wanted: Partial<Record<Name, string | undefined>>) => void;
  clear: () => void;
}

const charactersMax = 256;

/** `isGood`: what an address may say of a name; anything else is left out. */
export function useAddressFilter<Name extends string>(
  names: readonly Name[],
  isGood: (name: Name, value: string) => boolean,
): AddressFilter<Name> {
  const [search, setSearch] = useSearchParams();
  const filter: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = search.get(name);
    if (value !== null && value !== '' && value.length <= charactersMax && isGood(name, value)) filter[name] = value;
  }
  const change = (wanted: Partial<Record<Name, string | undefined>>) => {
    const next = searchNow();
    for (const name of names) {
      if (!(name in wanted)) continue;
      const value = wanted[name];
      if (value === undefined || value === '') next.delete(name);
      else next.set(name, value);
    }
    setSearch(next, { replace: true });
  };
  const clear = () => {
    const next = searchNow();
    for (const name of names) next.delete(name);
    setSearch(next, { replace: true });
  };
  return { filter, isFiltered: Object.keys(filter).length > 0, change, clear };
}

/** How the catalogue is shown, as the address has it: cards or a table, its order, and which models are compared. */
import { useSearchParams } from 'react-router';
import { searchNow } from '../../parts/filters/search-now.ts';

export const views = ['cards', 'table'] as const;
export type View = (typeof views)[number];
const isView = (text: string | null): text is View => views.some((view) => view === text);

const orders = ['context', 'input', 'output'] as const;
export type Order = (typeof orders)[number];

export const comparedMin = 2;
export const comparedMax = 4;

interface Shown {
  view: View;
  /** None: as the cards are. */
  order: Order | undefined;
  isDescending: boolean;
  /** Chosen to be compared, and whether they are. */
  chosen: readonly string[];
  compared: readonly string[];
  change: (wanted: Partial<Record<'view' | 'sort' | 'chosen' | 'compare', string | undefined>>) => void;
}

export function useView(): Shown {
  const [search, setSearch] = useSearchParams();
  const view = search.get('view');
  const sort = search.get('sort') ?? '';
  const chosen = search.getAll('chosen').slice(0, comparedMax);
  return {
    view: isView(view) ? view : 'cards',
    order: orders.find((order) => order === sort.replace(/^-/, '')),
    isDescending: sort.startsWith('-'),
    chosen,
    compared: search.has('compare') && chosen.length >= comparedMin ? chosen : [],
    change: ({ chosen: toggled, ...wanted }) => {
      const next = searchNow();
      for (const [name, value] of Object.entries(wanted)) {
        if (value === undefined) next.delete(name);
        else next.set(name, value);
      }
      if (toggled !== undefined) {
        const kept = next.getAll('chosen').filter((id) => id !== toggled);
        if (kept.length === next.getAll('chosen').length) kept.push(toggled);
        next.delete('chosen');
        for (const id of kept) next.append('chosen', id);
      }
      setSearch(next, { replace: true });
    },
  };
}

/**
 * The runs of this browser, newest first, to open them again: of one person in one account, on all pages of the
 * playground. It has what was asked and said, and no key, since the playground has none.
 */
import { type Store, useStore } from '../../../api/store.ts';
import { isRecord, type JsonRecord, textOf } from '../../../parts/json.ts';
import { keep, keptLists } from '../../../parts/kept-list.ts';
import { useDraftName } from './draft.ts';

export interface PastRun {
  /** A run that goes on replaces itself. */
  id: string;
  /** The page that it belongs to, which alone reads its values. */
  page: string;
  /** Unix seconds. */
  at: number;
  /** What was asked for, and of which models. */
  label: string;
  models: string;
  values: Readonly<Record<string, unknown>>;
}

/** On all pages; and of the texts, in characters, which a browser keeps 5 million of. */
const runsMax = 30;
const charactersMax = 400_000;
const labelCharactersMax = 120;

const listOfName = keptLists(readRun, runsMax);

/** The runs of a page, and what can be done with them. */
export function useHistory(page: string) {
  const name = useDraftName('history');
  const store = listOfName(name);
  return {
    runs: useStore(store).filter((run) => run.page === page),
    /** Keeps a run; the same again changes nothing. */
    remember: (run: Omit<PastRun, 'page' | 'at'>) => {
      const label = run.label.trim().slice(0, labelCharactersMax);
      const before = store.get().find(({ id }) => id === run.id);
      if (before && JSON.stringify(before.values) === JSON.stringify(run.values)) return;
      const at = Math.floor(Date.now() / 1000);
      const others = store.get().filter(({ id }) => id !== run.id);
      put(name, store, [{ ...run, label, page, at }, ...others]);
    },
    /** Forgets the runs of this page. */
    clear: () =>
      put(
        name,
        store,
        store.get().filter((run) => run.page !== page),
      ),
  };
}

/** The newest that there is room for. */
function put(name: string, store: Store<readonly PastRun[]>, runs: readonly PastRun[]): void {
  let characters = 0;
  const kept = runs.slice(0, runsMax).filter((run) => (characters += JSON.stringify(run).length) <= charactersMax);
  keep(name, store, kept);
}

function readRun({ id, page, at, label, models, values }: JsonRecord): PastRun[] {
  if (typeof id !== 'string' || typeof at !== 'number' || !isRecord(values)) return [];
  return [{ id, at, values, page: textOf(page), label: textOf(label), models: textOf(models) }];
}

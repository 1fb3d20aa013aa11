/** The history of a page whose runs are tasks: a run is opened with its form and its result. */
import { type Plain, readDraftFrom } from './draft.ts';
import { useHistory } from './history.ts';
import { HistoryButton } from './history-button.tsx';
import type { Run } from './runs.ts';

/** What a page of tasks remembers: each run with the form that it was begun with. */
export function useTaskHistory(page: string) {
  const { remember } = useHistory(page);
  return (run: Run, models: string, form: Plain): void => remember({ ...run, models, values: { ...form } });
}

interface Props<Values extends Plain> {
  page: string;
  first: Values;
  /** Those that the page shows already. */
  runs: readonly Run[];
  /** Fills the form. */
  onOpen: (form: Values) => void;
  /** Shows the task among the others. */
  onRun: (run: Run) => void;
}

export function TaskHistory<Values extends Plain>({ page, first, runs, onOpen, onRun }: Props<Values>) {
  return (
    <HistoryButton
      page={page}
      onOpen={({ id, label, values }) => {
        onOpen(readDraftFrom(values, first));
        if (!runs.some((run) => run.id === id)) onRun({ id, label });
      }}
    />
  );
}

/**
 * The commit that accepts a task, and what becomes of it where its answer is lost: then the task may be there, and be paid
 * for, or may never be. Sending the request again would order a second one, so the caller waits until that is certain.
 */
import type { TaskId } from '../../domain/ids.ts';
import { nothingMade } from '../../ledger/commit/lost-commits.ts';
import { isOutcomeUnknown } from '../../ledger/commit/group-commit.ts';
import type { TaskAdmission, TaskAdmitted } from '../../ledger/ledger.ts';
import { attributeNames } from '../../observability/tracing/span-names.ts';
import type { ApiDependencies } from '../../api/dependencies.ts';
import type { WaitingSlot } from '../wait/unstarted-tasks.ts';

/** It is not known yet whether the task is there. */
export interface TaskInDoubt {
  admitted: 'in doubt';
  taskId: TaskId;
  /** False where an Idempotency-Key of before named it. */
  isNew: boolean;
  /** What is true, once it is certain; undefined when the time is up. Rejects with `not_ready` where nothing was made. */
  certain: Promise<TaskAdmitted | undefined>;
}

/**
 * Admits a task; in doubt the database is asked on for `doubtMs`. The task keeps its slot until it is started or counted:
 * what was refused, is queued, or turned out never to be, gives it back at once.
 */
export async function admitTask(
  { ledger, tracing }: Pick<ApiDependencies, 'ledger' | 'tracing'>,
  slot: WaitingSlot | undefined,
  admission: TaskAdmission,
  doubtMs: number,
): Promise<TaskAdmitted | TaskInDoubt> {
  const admit = () =>
    new Promise<TaskAdmitted | TaskInDoubt>((resolve, reject) => {
      const onDoubt = (outcomes: readonly TaskAdmitted[]) => {
        const inDoubt = inDoubtOf(outcomes);
        if (inDoubt) resolve({ admitted: 'in doubt', ...inDoubt, certain: unlessTimeIsUp(admitted) });
        else reject(nothingMade(undefined)); // whatever was committed, it was a refusal
      };
      const admitted = ledger.admitTask(admission, { doubtMs, onDoubt });
      keepSlot(slot, admitted);
      admitted.then(resolve, reject);
    });
  return tracing
    ? tracing.during('admit task', 'internal', { [attributeNames.task]: admission.task.id }, admit)
    : admit();
}

/** The task that is there, if one of these was committed. */
function inDoubtOf(outcomes: readonly TaskAdmitted[]): { taskId: TaskId; isNew: boolean } | undefined {
  const accepted = outcomes.flatMap((outcome) =>
    outcome.admitted === 'no' ? [] : [{ taskId: outcome.taskId, isNew: outcome.admitted === 'new' }],
  );
  return accepted.find(({ isNew }) => isNew) ?? accepted[0];
}

const unlessTimeIsUp = (admitted: Promise<TaskAdmitted>): Promise<TaskAdmitted | undefined> =>
  admitted.catch((error: unknown) => {
    if (isOutcomeUnknown(error)) return undefined;
    throw error;
  });

/** In doubt to the end: if its row is there, the next count sees it. */
function keepSlot(slot: WaitingSlot | undefined, admitted: Promise<TaskAdmitted>): void {
  admitted.then(
    (outcome) => (outcome.admitted === 'new' && !outcome.queued ? slot?.accepted() : slot?.leave()),
    (error: unknown) => (isOutcomeUnknown(error) ? slot?.accepted() : slot?.leave()),
  );
}

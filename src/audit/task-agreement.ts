/** Whether a task's row and its workflow agree, and if not, in a sentence, what disagrees. */
import type { WorkflowExecutionInfo, WorkflowExecutionStatusName } from '@temporalio/client';
import { fetchClaimMsMax } from '../domain/limits.ts';
import { isFinal } from '../domain/tasks/task-states.ts';
import type { TaskCourse } from './checks/task-facts.ts';
import { searchAttributes } from '../temporal/temporal-names.ts';
import { isOpen } from '../tasks/start/task-starter.ts';

/** A task's latest workflow, as Temporal lists or describes it. */
export interface WorkflowCourse {
  id: string;
  type: string;
  taskQueue: string;
  status: WorkflowExecutionStatusName;
  startTime: Date;
  accountId: string | undefined;
  keyId: string | undefined;
  model: string | undefined;
  kind: string | undefined;
  /** `processing` from the start, then how the task ended. */
  outcome: string | undefined;
}

export interface Circumstances {
  /** The queue of this installation's workflows. */
  taskQueue: string;
  /** Temporal still knows workflows that closed so long ago, for sure. */
  knownMs: number;
  /** The longest that the result of an avatar-talk task is kept. */
  fetchWindowMs: number;
}

/** The workflow of tasks. */
export const taskWorkflowType = 'generate';
/** Accepted tasks are started at once, or by the next scan; a short outage of Temporal is bridged too. */
const startMsMax = 300_000;
/** From a task's end to the end of its workflow: a worker may have died in between, and another one goes on. */
const closingMsMax = 300_000;
/** Retention deletes such a result in the first of its hourly runs that begins an hour after the window. */
const retentionMsMax = 3 * 3_600_000;

export const courseOfWorkflow = (info: Omit<WorkflowExecutionInfo, 'raw'>): WorkflowCourse => {
  const { typedSearchAttributes: values } = info;
  return {
    id: info.workflowId,
    type: info.type,
    taskQueue: info.taskQueue,
    status: info.status.name,
    startTime: info.startTime,
    accountId: values.get(searchAttributes.account),
    keyId: values.get(searchAttributes.key),
    model: values.get(searchAttributes.model),
    kind: values.get(searchAttributes.kind),
    outcome: values.get(searchAttributes.status),
  };
};

/** What disagrees; undefined if nothing does. A final task that is older than what Temporal knows needs no workflow. */
export function disagreementOf(
  task: TaskCourse | undefined,
  workflow: WorkflowCourse | undefined,
  circumstances: Circumstances,
): string | undefined {
  if (!task) return workflow && `a workflow that ${verbOf(workflow)} has no task`;
  if (task.isQueued) return workflow && `the task is queued, but has a workflow that ${verbOf(workflow)}`;
  if (!workflow) return withoutWorkflow(task, circumstances);
  return foreignFacts(task, workflow, circumstances) ?? betweenStates(task, workflow, circumstances);
}

function withoutWorkflow(task: TaskCourse, { knownMs }: Circumstances): string | undefined {
  const { state, isStarted } = task;
  if (!isFinal(state)) {
    if (isStarted || state !== 'accepted') return `the task is ${state}, but has no workflow`;
    if (task.ageMs <= startMsMax) return undefined;
    return `the task was accepted ${minutes(task.ageMs)} ago, but no workflow was ever started for it`;
  }
  // One that was cancelled before its start never had a workflow.
  if ((!isStarted && state !== 'succeeded') || (task.endedMs ?? 0) > knownMs) return undefined;
  return `the task is ${state}, but has no workflow`;
}

function foreignFacts(task: TaskCourse, workflow: WorkflowCourse, { taskQueue }: Circumstances): string | undefined {
  if (workflow.type !== taskWorkflowType || workflow.taskQueue !== taskQueue)
    return 'the workflow of this id is another kind of workflow, or runs on a queue that is not ours';
  const different = (['accountId', 'keyId', 'model', 'kind'] as const).filter((fact) => task[fact] !== workflow[fact]);
  if (different.length === 0) return undefined;
  const names = { accountId: 'account', keyId: 'key', model: 'model', kind: 'kind' };
  return `its workflow was started for another ${different.map((fact) => names[fact]).join(' and ')}`;
}

function betweenStates(task: TaskCourse, workflow: WorkflowCourse, circumstances: Circumstances): string | undefined {
  const { state } = task;
  const isRunning = isOpen(workflow.status);
  if (workflow.outcome !== 'processing') {
    if (workflow.outcome !== state)
      return `the task is ${state}, but its workflow says ${workflow.outcome ?? 'nothing'}`;
    if (isRunning) return stillOpen(task, circumstances);
    // Deleting it is what the workflow waited for. Where an operator ended that, retention does it.
    const isLate =
      workflow.status === 'COMPLETED' || (task.endedMs ?? 0) > circumstances.fetchWindowMs + retentionMsMax;
    const isKept = task.kind === 'avatar_talk' && state === 'succeeded' && !task.isRemoved;
    return isKept && isLate ? `its workflow ${verbOf(workflow)}, but its result was not deleted` : undefined;
  }
  if (isRunning) return isFinal(state) ? stillOpen(task, circumstances) : undefined;
  if (!isFinal(state) || workflow.status === 'COMPLETED')
    return `the task is ${state}, but its workflow ${verbOf(workflow)} without an outcome`;
  // An operator who terminates a workflow cancels its task; one that failed may have been overdue.
  return state === 'succeeded'
    ? `the task is succeeded, but its workflow ${verbOf(workflow)} before it had a result`
    : undefined;
}

/** The task is final. Its workflow may have to hear of that, to wait for a create, or for the time of its result. */
function stillOpen(task: TaskCourse, { fetchWindowMs }: Circumstances): string | undefined {
  const isExpiring = task.kind === 'avatar_talk' && task.state === 'succeeded';
  const endedMs = task.endedMs ?? 0;
  // A download that began in time goes on after the window, and its end is noticed when its claim would have run out.
  const openMsMax = closingMsMax + (isExpiring ? fetchWindowMs + fetchClaimMsMax : task.requestTimeoutMs);
  return endedMs > openMsMax
    ? `the task has been ${task.state} for ${minutes(endedMs)}, but its workflow still runs`
    : undefined;
}

const minutes = (ms: number): string => `${Math.floor(ms / 60_000)} minutes`;

const verbs: Partial<Record<WorkflowExecutionStatusName, string>> = {
  RUNNING: 'runs',
  PAUSED: 'runs',
  COMPLETED: 'completed',
  FAILED: 'failed',
  TIMED_OUT: 'timed out',
};

const verbOf = ({ status }: WorkflowCourse): string =>
  verbs[status] ?? `was ${status.toLowerCase().replaceAll('_', ' ')}`;

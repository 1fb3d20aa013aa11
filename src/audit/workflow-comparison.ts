/**
 * The audit's comparison of tasks with Temporal's workflows, in both directions. Tasks are read in pages in the order of
 * their ids, and each page is laid beside the workflows whose ids are in its range, so memory doesn't grow with the tasks.
 * What disagrees is only suspected: the listing lags behind, and the world moves while one looks. It becomes a finding if it
 * still disagrees when row and workflow are asked for by id, twice, some seconds later.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { optionalTsToMs } from '@temporalio/common/lib/time.js';
import {
  countEarlier,
  coursesOf,
  type CourseWindow,
  databaseNow,
  nextCourses,
  type TaskCourse,
} from './checks/task-facts.ts';
import type { Database } from '../postgres/database.ts';
import type { QueueNames } from '../temporal/temporal-names.ts';
import {
  type Circumstances,
  courseOfWorkflow,
  disagreementOf,
  taskWorkflowType,
  type WorkflowCourse,
} from './task-agreement.ts';

export interface WorkflowAudit {
  database: Database;
  client: Client;
  queues: QueueNames;
  /** The longest that the result of an avatar-talk task is kept. */
  fetchWindowMs: number;
  /** Only tasks admitted, and workflows started, since then. */
  since?: Date | undefined;
  found: (subject: string, says: string) => void;
  looked: (what: string, count: number) => void;
  signal?: AbortSignal | undefined;
  /** How long a suspicion rests before it is looked at again. */
  restMs?: number;
}

// As many as Temporal lists at once.
const pageTasks = 1_000;
const suspectsMax = 2_000;
const rounds = 2;
// A task changes its state two times; a task that is seen changing is looked at again.
const roundsMax = 6;
const rest_ms = 2_000;
const describedAtOnce = 8;
const deadlineMs = 120_000;
/** Clocks differ, and an audit takes its time: what Temporal is about to forget is not asked for. */
const retentionMarginMs = 3_600_000;

/** Compares every task, as far back as Temporal remembers, with every workflow of this installation's tasks. */
export async function auditWorkflows(audit: WorkflowAudit): Promise<void> {
  const { database, client, looked, since } = audit;
  const until = await databaseNow(database);
  const knownMs = Math.max(0, (await retentionMsOf(client)) - retentionMarginMs);
  const window: CourseWindow = { since, until, endedAfter: new Date(until.getTime() - knownMs) };
  const { fetchWindowMs, queues } = audit;
  const circumstances: Circumstances = { taskQueue: queues.workflows, knownMs, fetchWindowMs };
  looked('tasks older than Temporal remembers', await countEarlier(database, window));

  let suspects = new Set<string>();
  const suspect = async (id: string) => {
    suspects.add(id);
    if (suspects.size < suspectsMax) return;
    const full = suspects;
    suspects = new Set();
    await judge(audit, circumstances, [...full]);
  };
  for (let after = '', isLast = false; !isLast;) {
    audit.signal?.throwIfAborted();
    const tasks = await nextCourses(database, window, after, pageTasks);
    isLast = tasks.length < pageTasks;
    const upTo = isLast ? undefined : tasks.at(-1)?.id;
    await comparePage(audit, circumstances, tasks, { ...window, after, upTo }, suspect);
    looked('tasks compared with workflows', tasks.length);
    after = upTo ?? after;
  }
  await judge(audit, circumstances, [...suspects]);
}

interface Range extends CourseWindow {
  /** Workflow ids above this one, up to `upTo` if it is named. */
  after: string;
  upTo: string | undefined;
}

async function comparePage(
  audit: WorkflowAudit,
  circumstances: Circumstances,
  tasks: readonly TaskCourse[],
  range: Range,
  suspect: (id: string) => Promise<void>,
): Promise<void> {
  const wanted = new Set(tasks.map(({ id }) => id));
  const latest = new Map<string, WorkflowCourse>();
  const others = new Map<string, WorkflowCourse>();
  const compareOthers = async () => {
    // Of tasks outside the page's window, or of none.
    const rows = await coursesOf(audit.database, [...others.keys()]);
    for (const [id, workflow] of others) {
      if (disagreementOf(rows.get(id), workflow, circumstances) !== undefined) await suspect(id);
    }
    others.clear();
  };
  let listed = 0;
  for await (const info of audit.client.workflow.list({ query: queryOf(audit.queues, range), pageSize: pageTasks })) {
    audit.signal?.throwIfAborted();
    listed += 1;
    const workflow = courseOfWorkflow(info);
    const among = wanted.has(workflow.id) ? latest : others;
    // A workflow that failed is started again under its id.
    if (workflow.startTime >= (among.get(workflow.id)?.startTime ?? workflow.startTime))
      among.set(workflow.id, workflow);
    if (others.size >= pageTasks) await compareOthers();
  }
  audit.looked('workflows', listed);
  for (const task of tasks) {
    if (disagreementOf(task, latest.get(task.id), circumstances) !== undefined) await suspect(task.id);
  }
  await compareOthers();
}

function queryOf(queues: QueueNames, { since, until, after, upTo }: Range): string {
  return [
    `TaskQueue = ${quoted(queues.workflows)}`,
    `WorkflowType = ${quoted(taskWorkflowType)}`,
    `StartTime <= ${quoted(until.toISOString())}`,
    ...(since ? [`StartTime >= ${quoted(since.toISOString())}`] : []),
    ...(after === '' ? [] : [`WorkflowId > ${quoted(after)}`]),
    ...(upTo === undefined ? [] : [`WorkflowId <= ${quoted(upTo)}`]),
  ].join(' AND ');
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

/** Looks at suspects until each agrees, or has disagreed twice with nothing moving meanwhile. */
async function judge(audit: WorkflowAudit, circumstances: Circumstances, ids: readonly string[]): Promise<void> {
  const { found, signal, restMs = rest_ms } = audit;
  const strikes = new Map(ids.map((id) => [id, 0]));
  for (let round = 0; round < roundsMax && strikes.size > 0; round++) {
    await pause(restMs, undefined, { ...(signal && { signal }) });
    for (const batch of inBatches([...strikes.keys()], describedAtOnce * 16)) {
      // Read before and after: else a task that starts or ends between the two looks would seem to disagree.
      const before = await coursesOf(audit.database, batch);
      const workflows = await describeAll(audit, batch);
      const after = await coursesOf(audit.database, batch);
      for (const id of batch) {
        if (hasMoved(before.get(id), after.get(id))) continue;
        const says = disagreementOf(after.get(id), workflows.get(id), circumstances);
        const count = (strikes.get(id) ?? 0) + 1;
        if (says === undefined || count === rounds) strikes.delete(id);
        else strikes.set(id, count);
        if (says !== undefined && count === rounds) found(id, says);
      }
    }
  }
}

const hasMoved = (before: TaskCourse | undefined, after: TaskCourse | undefined): boolean =>
  before?.state !== after?.state ||
  before?.isQueued !== after?.isQueued ||
  before?.isStarted !== after?.isStarted ||
  before?.isRemoved !== after?.isRemoved;

async function describeAll(audit: WorkflowAudit, ids: readonly string[]): Promise<Map<string, WorkflowCourse>> {
  const described = new Map<string, WorkflowCourse>();
  for (const some of inBatches(ids, describedAtOnce)) {
    audit.signal?.throwIfAborted();
    const answers = await audit.client.withDeadline(Date.now() + deadlineMs, () =>
      Promise.all(some.map((id) => describe(audit.client, id))),
    );
    for (const workflow of answers) if (workflow) described.set(workflow.id, workflow);
  }
  return described;
}

async function describe(client: Client, id: string): Promise<WorkflowCourse | undefined> {
  try {
    return courseOfWorkflow(await client.workflow.getHandle(id).describe());
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/** How long Temporal keeps workflows that have closed. */
async function retentionMsOf(client: Client): Promise<number> {
  const { namespace } = client.options;
  const { config } = await client.withDeadline(Date.now() + deadlineMs, () =>
    client.workflowService.describeNamespace({ namespace }),
  );
  return optionalTsToMs(config?.workflowExecutionRetentionTtl) ?? 0;
}

function* inBatches<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

/** What an operator asks of tasks and their paid calls: facts only, neither requests nor uploads nor results. */
import * as z from 'zod';
import { deletedMessage } from '../../domain/errors.ts';
import { type AccountId, type TaskId, taskIdPrefixes } from '../../domain/ids.ts';
import { type TaskKind, taskKinds, type TaskState } from '../../domain/tasks/task-states.ts';
import type { Database } from '../../postgres/database.ts';
import { isLive } from './intents.ts';
import { computed, money, pick, row, type RowOf } from '../../postgres/row.ts';
import { errorColumns, taskColumns, withError } from '../rows/task-rows.ts';

const taskRow = row({
  ...pick(taskColumns, 'id', 'kind', 'accountId'),
  keyId: z.string(),
  /** Of the creation; finds its log line. */
  requestId: z.string(),
  ...pick(taskColumns, 'model', 'state'),
  hold: computed('t.hold_amount', money),
  ...pick(taskColumns, 'cost'),
  ...errorColumns,
  ...pick(taskColumns, 'createdAt', 'queued', 'dequeuedAt', 'startedAt', 'finishedAt', 'removedAt'),
}).as(withError);
export type TaskFacts = RowOf<typeof taskRow>;
const selectTask = taskRow.columnsOf('t');

const intentRow = row({
  route: z.int(),
  provider: z.string(),
  outcome: z.enum(['open', 'accepted', 'finished', 'refused', 'unknown']),
  jobId: z.string().nullable(),
  upstreamRequestId: z.string().nullable(),
  /** Why it wasn't known what became of the call, kept when the job was found later; or why its job was not stopped. */
  reason: z.string().nullable(),
  refusal: computed('i.error', z.object({ code: z.string(), message: z.string().default(deletedMessage) }).nullable()),
  /** Just before the call was sent. */
  sentAt: computed('i.created_at', z.date()),
  closedAt: z.date().nullable(),
}).as(({ refusal, sentAt, ...intent }) => ({ ...intent, error: refusal, createdAt: sentAt }));
export type IntentFacts = RowOf<typeof intentRow>;
const selectIntent = intentRow.columnsOf('i');

export interface TaskFilter {
  account?: AccountId;
  state?: TaskState;
  /** At most so many. */
  limit: number;
}

/** Ids of a kind are ordered by time, whose first digit is 0 until the year 2527. Where their partitions end, too. */
const endOfIds = '1';
export const idRange = (column: string, kind: TaskKind, from = ''): string =>
  `${column} >= '${taskIdPrefixes[kind]}${from}' and ${column} < '${taskIdPrefixes[kind]}${endOfIds}'`;

/** The newest tasks. Read from the end of an index: an account's, the short one of tasks under way, or that of the ids. */
export async function listTasks(database: Database, { account, state, limit }: TaskFilter): Promise<TaskFacts[]> {
  const values = [limit, account, state].filter((value) => value !== undefined);
  const isState = state === undefined ? 'true' : `t.state = $${values.length}`;
  const newest = 'order by t.created_at desc, t.id desc limit $1';
  const [name, text] =
    account !== undefined
      ? ['of-account', `select ${selectTask} from tasks t where t.account_id = $2 and ${isState} ${newest}`]
      : state === 'accepted' || state === 'running'
        ? ['under-way', `select ${selectTask} from tasks t where t.finished_at is null and ${isState} ${newest}`]
        : [
            'of-all',
            `select ${selectTask} from (${ofEachKind(
              (kind) =>
                `select * from tasks t where ${idRange('t.id', kind)} and ${isState} order by t.id desc limit $1`,
            )}) t ${newest}`,
          ];
  const { rows } = await database.keyed.query({
    name: `newest-tasks-${name}${state === undefined ? '' : '-of-state'}`,
    text,
    values,
  });
  return rows.map((row) => taskRow.parse(row));
}

export async function findTaskFacts(database: Database, id: string): Promise<TaskFacts | undefined> {
  const { rows } = await database.keyed.query({
    name: 'task-facts',
    text: `select ${selectTask} from tasks t where t.id = $1`,
    values: [id],
  });
  return rows[0] === undefined ? undefined : taskRow.parse(rows[0]);
}

/** The paid calls of a task, in the order of its routes. */
export async function intentsOf(database: Database, task: TaskId): Promise<IntentFacts[]> {
  const { rows } = await database.pool.query(
    `select ${selectIntent} from intents i where i.task_id = $1 and ${isLive} order by i.route`,
    [task],
  );
  return rows.map((row) => intentRow.parse(row));
}

/** So far back a job is searched that was accepted for a task that had ended: no index holds these alone. */
const lateDays = 7;

/** Begins the reason of a job that was not stopped when its task ended. */
const leftAlone = 'left to end by itself';
/** Why a job was left that the provider said it doesn't know. */
export const jobUnknown = "its provider didn't know it";

/** Whether the provider has lost this job, or says so. */
export const isJobLost = ({ reason }: Pick<IntentFacts, 'reason'>): boolean => reason === `${leftAlone}: ${jobUnknown}`;
/** The attempt that opened an intent has said what became of it, or has died: the longest request timeout is some minutes. */
const silenceMinutes = 30;

/** What an operator noted of a paid call of unknown outcome. */
export interface Review {
  by: string;
  at: Date;
  note: string;
}

const reviewRow = row({
  reviewedBy: z.string().nullable(),
  reviewedAt: z.date().nullable(),
  note: z.string().nullable(),
}).as(({ reviewedBy: by, reviewedAt: at, note }): Review | null =>
  by === null || at === null || note === null ? null : { by, at, note },
);

export interface UnknownOutcome {
  task: TaskFacts;
  intent: IntentFacts;
  review: Review | null;
}

export interface UnknownOutcomeFilter extends TaskFilter {
  task?: string;
  /** Only those that were reviewed, or that were not; all without. */
  isReviewed?: boolean;
  /** Only what comes behind this one. */
  after?: UnknownOutcomePosition | undefined;
}

/** The position of a paid call in the list. */
export interface UnknownOutcomePosition {
  sentAt: Date;
  task: string;
  route: number;
}

/**
 * The newest paid calls of unknown outcome, and those of the last seven days whose job was accepted after
 * their task had ended, or was not stopped with it, or whose sender died while it was cancelled: the provider may have done
 * work, and will charge it, that no caller was charged for.
 */
export async function listUnknownOutcomes(
  database: Database,
  { account, state, task, isReviewed, after, limit }: UnknownOutcomeFilter,
  now: Date,
): Promise<UnknownOutcome[]> {
  const since = (now.getTime() - lateDays * 86_400_000).toString(16).padStart(12, '0');
  const late = ofEachKind(
    (kind) =>
      `select i.* from intents i join tasks t on t.id = i.task_id
       where ${idRange('i.task_id', kind, since)} and ${idRange('t.id', kind, since)}
         and (i.outcome in ('accepted', 'finished') and i.closed_at > t.finished_at
           or i.outcome = 'accepted' and i.reason like '${leftAlone}:%'
           or i.outcome = 'open' and ${isLive} and t.finished_at < clock_timestamp() - interval '${silenceMinutes} minutes')`,
  );
  // One that was reviewed stays in the list of those, whatever became of it or of the seven days.
  const found =
    isReviewed === true
      ? 'select i.* from intents i join reviews using (task_id, route)'
      : `select * from intents where outcome = 'unknown' union all ${late}`;
  const { rows } = await database.pool.query(
    `select ${selectTask}, ${selectIntent}, ${reviewRow.columnsOf('r')}
     from (${found}) i join tasks t on t.id = i.task_id left join reviews r on r.task_id = i.task_id and r.route = i.route
     where t.account_id = coalesce($2, t.account_id) and t.state = coalesce($3, t.state)
       and t.id = coalesce($4, t.id) and ($5::boolean is null or $5 = (r.task_id is not null))
       and ($6::timestamptz is null or (date_trunc('milliseconds', i.created_at), t.id, i.route) < ($6, $7, $8::integer))
     order by date_trunc('milliseconds', i.created_at) desc, t.id desc, i.route desc limit $1`,
    [
      ...[limit, account ?? null, state ?? null, task ?? null, isReviewed ?? null],
      ...[after?.sentAt ?? null, after?.task ?? null, after?.route ?? null],
    ],
  );
  return rows.map((row) => ({ task: taskRow.parse(row), intent: intentRow.parse(row), review: reviewRow.parse(row) }));
}

/** Adds the provider's own id of a call to an intent that was closed without it. */
export async function noteRequestId(database: Database, task: TaskId, route: number, requestId: string): Promise<void> {
  await database.pool.query(
    `update intents set upstream_request_id = $3 where task_id = $1 and route = $2 and upstream_request_id is null`,
    [task, route, requestId],
  );
}

/** Notes that a task's job was not stopped when the task ended; of one whose id is not known nothing. */
export async function noteJobLeft(database: Database, task: TaskId, route: number, why: string): Promise<void> {
  await database.pool.query(
    `update intents set reason = $3 where task_id = $1 and route = $2 and outcome = 'accepted'`,
    [task, route, `${leftAlone}: ${why}`],
  );
}

/**
 * What is the matter with a paid call of unknown outcome. `searching`: its task is under way and still looks for it; `lost`:
 * the task has ended, and the outcome stays unknown; `late`: the provider took or did the job after the task had ended; `left`: the job
 * was not stopped with its task; `abandoned`: the process that sent it died meanwhile; `found`: it was known in the end.
 */
export type UnknownCase = 'searching' | 'lost' | 'late' | 'left' | 'abandoned' | 'found';

/** Which of the cases it is. */
export function unknownCaseOf({ task, intent }: Pick<UnknownOutcome, 'task' | 'intent'>): UnknownCase {
  const hasEnded = task.finishedAt !== null;
  if (intent.outcome === 'unknown') return hasEnded ? 'lost' : 'searching';
  if (intent.outcome === 'open') return hasEnded ? 'abandoned' : 'searching';
  if (intent.outcome === 'accepted' && intent.reason?.startsWith(`${leftAlone}:`) === true) return 'left';
  const isLate = task.finishedAt !== null && intent.closedAt !== null && intent.closedAt > task.finishedAt;
  return isLate && intent.outcome !== 'refused' ? 'late' : 'found';
}

export const ofEachKind = (query: (kind: TaskKind) => string): string =>
  taskKinds.map((kind) => `(${query(kind)})`).join(' union all ');

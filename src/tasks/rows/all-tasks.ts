/** The tasks of all accounts as operators look through them: newest first, by any filters together. */
import * as z from 'zod';
import { type AccountId, taskIdPrefixes } from '../../domain/ids.ts';
import type { TaskKind } from '../../domain/tasks/task-states.ts';
import type { Database } from '../../postgres/database.ts';
import { computed, pick, row, type RowOf } from '../../postgres/row.ts';
import { idRange, ofEachKind } from '../provider-calls/intent-reports.ts';
import type { TaskPosition } from './task-list.ts';
import { taskColumns, withError } from './task-rows.ts';
import { lineColumns, statusConditions, type TaskLineFilter } from './task-search.ts';

export interface AllTasksFilter extends Omit<TaskLineFilter, 'key'> {
  account?: AccountId | undefined;
  /** That a paid call of the task was sent to. */
  provider?: string | undefined;
  code?: string | undefined;
}

const allTasksRow = row({
  ...lineColumns,
  ...pick(taskColumns, 'accountId'),
  accountName: computed('a.name', z.string()),
  /** That was asked last; null before the first call. */
  provider: computed(
    '(select i.provider from intents i where i.task_id = t.id order by i.route desc limit 1)',
    z.string().nullable(),
  ),
}).as(withError);
export type OperatorTask = RowOf<typeof allTasksRow>;

/** The part of an id behind its kind's prefix: ordered by time over all kinds, byte by byte. */
const tail = 'substr(t.id, 5) collate "C"';
const tailOf = (id: string): string => id.slice(4);
const tailFrom = (moment: Date): string => moment.getTime().toString(16).padStart(12, '0');

/**
 * Up to `limit` tasks behind that position, or the newest. An account's are read by its indexes; what is under way or has
 * an error by the short indexes of these; all others from the end of each kind's ids. What has no index is sought there row
 * by row, so give such a search a `from`. Each set of filters is a statement of its own, planned once for all values.
 */
export async function listAllTasks(
  database: Database,
  { id, account, kind, status, model, provider, code, from, to }: AllTasksFilter,
  { limit, after }: { limit: number; after: TaskPosition | undefined },
): Promise<OperatorTask[]> {
  const values: unknown[] = [limit];
  const names: string[] = [];
  const where: string[] = [];
  const filter = (name: string, condition: (parameter: string) => string, value: unknown) => {
    if (value === undefined) return;
    names.push(name);
    where.push(condition(`$${values.push(value)}`));
  };
  filter('id', (its) => `t.id = ${its}`, id);
  filter('account', (its) => `t.account_id = ${its}`, account);
  filter('kind', (its) => `t.kind = ${its}`, kind);
  filter('model', (its) => `t.model = ${its}`, model);
  filter('code', (its) => `t.error_code is not null and t.error_code = ${its}`, code);
  const isSentTo = (its: string) => `exists (select 1 from intents i where i.task_id = t.id and i.provider = ${its})`;
  filter('provider', isSentTo, provider);
  if (status !== undefined) {
    names.push(status);
    where.push(statusConditions[status]);
  }
  const tasks = () => `select * from tasks t where ${where.length > 0 ? where.join(' and ') : 'true'}`;
  const found = (): { text: string; order: string } => {
    if (account !== undefined) {
      const order = 't.created_at desc, t.id desc';
      filter('from', (its) => `t.created_at >= ${its}::timestamptz`, from);
      filter('to', (its) => `t.created_at < ${its}::timestamptz`, to);
      const isBehind = (its: string) => `(t.created_at, t.id) < (${its}::timestamptz, $${values.push(after?.id)})`;
      filter('after', isBehind, after?.createdAt);
      return { text: `${tasks()} order by ${order} limit $1`, order };
    }
    const order = `${tail} desc`;
    if (id !== undefined || status === 'processing') {
      filter('from', (its) => `${tail} >= ${its}`, from && tailFrom(from));
      filter('to', (its) => `${tail} < ${its}`, to && tailFrom(to));
      filter('after', (its) => `${tail} < ${its}`, after && tailOf(after.id));
      return { text: `${tasks()} order by ${order} limit $1`, order };
    }
    const bounds: string[] = [];
    const bound = (name: string, comparison: string, value: string | undefined) => {
      if (value === undefined) return;
      names.push(name);
      bounds.push(`${comparison} $${values.push(value)}`);
    };
    bound('from', '>=', from && tailFrom(from));
    bound('to', '<', to && tailFrom(to));
    bound('after', '<', after && tailOf(after.id));
    const ofKind = (each: TaskKind) => {
      const ids = bounds.map((one) => `t.id ${one.replace(' ', ` '${taskIdPrefixes[each]}' || `)}`);
      return `${tasks()} and ${[idRange('t.id', each), ...ids].join(' and ')} order by t.id desc limit $1`;
    };
    return { text: kind === undefined ? ofEachKind(ofKind) : ofKind(kind), order };
  };
  const { text, order } = found();
  const { rows } = await database.keyed.query({
    name: ['list-all-tasks', ...names].join('-'),
    text: `select ${allTasksRow.columnsOf('t')} from (${text}) t
      join api_keys k on k.id = t.key_id join accounts a on a.id = t.account_id order by ${order} limit $1`,
    values,
  });
  return rows.map((each) => allTasksRow.parse(each));
}

const countRow = row({
  state: z.enum(['under_way', 'succeeded', 'failed', 'cancelled']),
  /** Of one that failed. */
  code: z.string().nullable(),
  lastHour: z.int(),
  lastDay: z.int(),
});
export type TaskCount = RowOf<typeof countRow>;

/** Of each kind's newest tasks so many are counted, at most. */
const countedMax = 50_000;

/** Counts the tasks that were created within the last hour and day, by what became of them. */
export async function countRecentTasks(database: Database, now: Date): Promise<TaskCount[]> {
  const hourMs = 3_600_000;
  const [day, hour] = [24, 1].map((hours) => tailFrom(new Date(now.getTime() - hours * hourMs)));
  const { rows } = await database.keyed.query({
    name: 'count-recent-tasks',
    text: `select case when t.finished_at is null then 'under_way' else t.state end as state,
        case when t.state = 'failed' then t.error_code end as code, count(*)::integer as "lastDay",
        (count(*) filter (where ${tail} >= $2))::integer as "lastHour"
      from (${ofEachKind(
        (kind) => `select id, state, finished_at, error_code from tasks t
          where ${idRange('t.id', kind)} and t.id >= '${taskIdPrefixes[kind]}' || $1 order by t.id desc limit ${countedMax}`,
      )}) t group by 1, 2`,
    values: [day, hour],
  });
  return rows.map((each) => countRow.parse(each));
}

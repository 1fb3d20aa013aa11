/** `tollgate tasks list|show|cancel`: what became of tasks and of their paid calls. Never shows prompts, addresses or files. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { errorBody } from '../../domain/errors.ts';
import { providerReference } from '../../domain/ids.ts';
import { toYuan, yuanText } from '../../domain/money.ts';
import { publicStatus, type TaskState, taskStates } from '../../domain/tasks.ts';
import {
  findTaskFacts,
  type IntentFacts,
  intentsOf,
  listTasks,
  listUnknownOutcomes,
  type TaskFacts,
} from '../../storage/task-intents.ts';
import { cancelTask } from '../../storage/cancel-task.ts';
import { tellFinal } from '../../storage/task-news.ts';
import { findTask } from '../../storage/tasks.ts';
import { withDatabase } from '../administration.ts';
import { print, Refusal, show, table } from '../output.ts';
import { known, reasonOf } from './accounts.ts';

const limit_max = 1_000;
const cell_characters_max = 200;
const error_characters_max = 2_000;

interface ListOptions {
  account?: string;
  state?: TaskState;
  unknown?: boolean;
  limit: number;
  json?: boolean;
}

export function addTaskCommands(program: Command): void {
  const tasks = program.command('tasks').description('see tasks and what became of their paid calls, and cancel them');

  tasks
    .command('list')
    .description('list tasks, newest first')
    .option('--account <id>', 'of this account only')
    .addOption(new Option('--state <state>', 'in this state only').choices(taskStates))
    .option('--unknown', 'only paid calls of unknown outcome, and jobs that may still run though their task has ended')
    .option('--limit <count>', 'at most so many', count, 50)
    .option('--json', 'print them as JSON')
    .action(async ({ account, state, unknown, limit, json }: ListOptions) =>
      withDatabase(async ({ database }) => {
        const of = account === undefined ? undefined : (await known(database, account)).id;
        // One more than is shown tells whether there are more.
        const filter = { limit: limit + 1, ...(of && { account: of }), ...(state && { state }) };
        const now = new Date();
        if (unknown === true) {
          const found = await listUnknownOutcomes(database, filter, now);
          printList(found, limit, json, unknownObject(now), unknownHead, unknownRow(now));
        } else {
          printList(await listTasks(database, filter), limit, json, taskObject, taskHead, taskRow(now));
        }
      }),
    );

  tasks
    .command('show <id>')
    .description('show one task and its paid calls')
    .option('--json', 'print them as JSON')
    .action(async (id: string, { json }: { json?: boolean }) =>
      withDatabase(async ({ database }) => {
        const task = (await findTaskFacts(database, id)) ?? noTask(id);
        const intents = await intentsOf(database, task.id);
        const reference = providerReference(task.id);
        show({ ...taskObject(task), reference, intents: intents.map(intentObject) }, json, told(task, intents));
      }),
    );

  tasks
    .command('cancel <id>')
    .description('end a task that has not ended, give its hold back, and have its job stopped where that can be')
    .option('--reason <text>', 'kept in the log', reasonOf)
    .option('--json', 'print the task as JSON')
    .action(async (id: string, { reason, json }: { reason?: string; json?: boolean }) =>
      withDatabase(async ({ database, ledger, by: { actor } }) => {
        const task = (await findTask(database, id)) ?? noTask(id);
        const isCancelled = await cancelTask(ledger, task, { actor, ...(reason !== undefined && { reason }) });
        const facts = (await findTaskFacts(database, id)) ?? noTask(id);
        if (!isCancelled) throw new Refusal(`Task ${id} has ended already: it is ${facts.state}.`);
        await tellFinal(database, [task.id]).catch(() => undefined); // who waits looks once a second, too
        show(taskObject(facts), json, `${id} is cancelled; ${yuanText(facts.hold)} yuan were given back.`);
      }),
    );
}

function noTask(id: string): never {
  throw new Refusal(`There is no task ${id}.`);
}

function count(text: string): number {
  const number = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= limit_max) return number;
  throw new InvalidArgumentError(`it must be a whole number from 1 to ${limit_max}.`);
}

function printList<Row>(
  found: readonly Row[],
  limit: number,
  json: boolean | undefined,
  object: (row: Row) => unknown,
  head: readonly string[],
  cells: (row: Row) => string[],
): void {
  const [shown, has_more] = [found.slice(0, limit), found.length > limit];
  if (json === true) {
    print(JSON.stringify({ object: 'list', data: shown.map(object), has_more, next_cursor: null }));
    return;
  }
  print(table(head, shown.map(cells)));
  if (has_more) print(`There are more than ${limit}; --limit shows more.`);
}

const taskObject = (task: TaskFacts) => ({
  id: task.id,
  object: task.kind,
  model: task.model,
  status: publicStatus(task.state),
  state: task.state,
  account_id: task.accountId,
  key_id: task.keyId,
  request_id: task.requestId,
  created: unixSeconds(task.createdAt),
  started: unixSeconds(task.startedAt),
  finished: unixSeconds(task.finishedAt),
  removed: unixSeconds(task.removedAt),
  hold: toYuan(task.hold),
  cost: task.cost === null ? null : toYuan(task.cost),
  error: task.error && errorBody(task.error),
});

const intentObject = (intent: IntentFacts) => ({
  route: intent.route,
  provider: intent.provider,
  outcome: intent.outcome,
  job_id: intent.jobId,
  upstream_request_id: intent.upstreamRequestId,
  reason: intent.reason,
  error: intent.error,
  sent: unixSeconds(intent.createdAt),
  closed: unixSeconds(intent.closedAt),
});

interface UnknownOutcome {
  task: TaskFacts;
  intent: IntentFacts;
}

const unknownObject =
  (now: Date) =>
  ({ task, intent }: UnknownOutcome) => ({
    object: 'unknown_outcome',
    task_id: task.id,
    reference: providerReference(task.id),
    account_id: task.accountId,
    model: task.model,
    state: task.state,
    ...intentObject(intent),
    age_seconds: ageSeconds(intent.createdAt, now),
  });

const taskHead = ['ID', 'ACCOUNT', 'MODEL', 'STATE', 'HOLD', 'COST', 'CREATED', 'AGE'];
const taskRow = (now: Date) => (task: TaskFacts) => [
  task.id,
  task.accountId,
  plain(task.model),
  task.state,
  yuanText(task.hold),
  task.cost === null ? '-' : yuanText(task.cost),
  moment(task.createdAt),
  age(task.createdAt, now),
];

const unknownHead = [
  'TASK',
  'ACCOUNT',
  'MODEL',
  'STATE',
  'PROVIDER',
  'OUTCOME',
  'JOB',
  'REQUEST',
  'SENT',
  'AGE',
  'WHY',
];
const unknownRow =
  (now: Date) =>
  ({ task, intent }: UnknownOutcome) => [
    task.id,
    task.accountId,
    plain(task.model),
    task.state,
    plain(intent.provider),
    intent.outcome,
    plain(intent.jobId),
    plain(intent.upstreamRequestId),
    moment(intent.createdAt),
    age(intent.createdAt, now),
    whyOf(intent),
  ];

/** A task for people: a line a fact, then its paid calls as a table. */
function told(task: TaskFacts, intents: readonly IntentFacts[]): string {
  const facts = table(
    [task.id, `${task.kind}, ${task.state}`],
    [
      ['model', plain(task.model)],
      ['account', task.accountId],
      ['key', task.keyId],
      ['request', plain(task.requestId)],
      ['reference', providerReference(task.id)],
      ['created', moment(task.createdAt)],
      ['started', moment(task.startedAt)],
      ['finished', moment(task.finishedAt)],
      ['removed', removal(task)],
      ['hold', `${yuanText(task.hold)} yuan`],
      ['cost', task.cost === null ? '-' : `${yuanText(task.cost)} yuan`],
      ['error', task.error ? plain(`${task.error.code}: ${task.error.message}`, error_characters_max) : '-'],
    ],
  );
  if (intents.length === 0) return `${facts}\nNo paid call was made.`;
  const head = ['ROUTE', 'PROVIDER', 'OUTCOME', 'JOB', 'REQUEST', 'SENT', 'CLOSED', 'WHY'];
  const rows = intents.map((intent) => [
    String(intent.route),
    plain(intent.provider),
    intent.outcome,
    plain(intent.jobId),
    plain(intent.upstreamRequestId),
    moment(intent.createdAt),
    moment(intent.closedAt),
    whyOf(intent),
  ]);
  return `${facts}\n\n${table(head, rows)}`;
}

const removal = ({ removedAt, state }: TaskFacts): string =>
  removedAt ? `${moment(removedAt)}: ${state === 'succeeded' ? 'result and request' : 'request'} deleted` : '-';

const whyOf = ({ reason, error }: IntentFacts): string =>
  plain(reason ?? (error ? `${error.code}: ${error.message}` : null));

/** Words of upstreams on one line, without what would steer a terminal. */
const plain = (text: string | null, charactersMax = cell_characters_max): string =>
  text === null ? '-' : text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').slice(0, charactersMax);

const moment = (date: Date | null): string => (date ? date.toISOString().replace(/\.\d+Z$/, 'Z') : '-');

const unixSeconds = (date: Date | null): number | null => date && Math.floor(date.getTime() / 1000);

const ageSeconds = (date: Date, now: Date): number => Math.max(0, Math.floor((now.getTime() - date.getTime()) / 1000));

/** In the largest unit of which there are two or more: `119s`, `47h`, `3d`. */
function age(date: Date, now: Date): string {
  const seconds = ageSeconds(date, now);
  for (const [unit, length] of [
    ['d', 86_400],
    ['h', 3_600],
    ['m', 60],
  ] as const) {
    if (seconds >= 2 * length) return `${Math.floor(seconds / length)}${unit}`;
  }
  return `${seconds}s`;
}

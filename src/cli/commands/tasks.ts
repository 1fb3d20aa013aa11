/** `tollgate tasks list|show|cancel|review`: what became of tasks and of their paid calls. Never shows prompts, addresses or files. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { unixSeconds } from '../../domain/unix-seconds.ts';
import { errorBody } from '../../domain/errors.ts';
import { providerReference } from '../../domain/ids.ts';
import { toAmount, amountText } from '../../domain/money.ts';
import { publicStatus, type TaskState, taskStates } from '../../domain/tasks/task-states.ts';
import {
  findTaskFacts,
  type IntentFacts,
  intentsOf,
  listTasks,
  listUnknownOutcomes,
  type TaskFacts,
  type UnknownOutcome,
} from '../../tasks/provider-calls/intent-reports.ts';
import { reviewOutcome } from '../../tasks/provider-calls/reviews.ts';
import { queuePositions } from '../../tasks/rows/key-queues.ts';
import { cancelTask } from '../../tasks/rows/cancel-task.ts';
import { notifyFinal } from '../../tasks/rows/task-notifier.ts';
import { unreadableTasks, type UnreadableTask } from '../../tasks/rows/task-rows.ts';
import { findTaskToRelease } from '../../tasks/rows/task-outcome.ts';
import { withDatabase } from '../administration.ts';
import { wholeNumber } from '../options.ts';
import { print, Refusal, show, table } from '../output.ts';
import { known, reasonOf } from './accounts.ts';

const limitMax = 1_000;
const cellCharactersMax = 200;
const errorCharactersMax = 2_000;

interface ListOptions {
  account?: string;
  state?: TaskState;
  unknown?: boolean;
  reviewed?: boolean;
  unreadable?: boolean;
  limit: number;
  json?: boolean;
}

export function addTaskCommands(program: Command): void {
  const tasks = program
    .command('tasks')
    .description('list, show and cancel tasks, and review upstream calls with an unknown outcome');

  tasks
    .command('list')
    .description('list tasks, newest first')
    .option('--account <id>', 'only of this account')
    .addOption(new Option('--state <state>', 'only in this state').choices(taskStates))
    .option(
      '--unknown',
      'only upstream calls with an unknown outcome, and jobs that may still run although their task has ended',
    )
    .option('--reviewed', 'with --unknown: those already reviewed')
    .option('--unreadable', 'only tasks whose rows can’t be read and so can’t proceed; of all accounts')
    .option('--limit <count>', 'maximum number of rows', wholeNumber(limitMax), 50)
    .option('--json', 'print JSON')
    .action(async (options: ListOptions, command: Command) => {
      const { account, state, unknown, reviewed = false, unreadable, limit, json } = options;
      if (reviewed && unknown !== true) command.error("error: '--reviewed' requires '--unknown'");
      if (unreadable === true && (account ?? state ?? unknown) !== undefined)
        command.error("error: '--unreadable' can only be combined with '--limit' and '--json'");
      await withDatabase(async ({ currency, database }) => {
        if (unreadable === true) {
          const found = await unreadableTasks(database, limit + 1);
          printList(found, limit, json, unreadableObject, ['ID', 'ACCOUNT', 'CREATED', 'FAULT'], unreadableCells);
          return;
        }
        const of = account === undefined ? undefined : (await known(database, account)).id;
        // One more than is shown, to see whether there are more.
        const filter = { limit: limit + 1, ...(of && { account: of }), ...(state && { state }) };
        const now = new Date();
        if (unknown === true) {
          const found = await listUnknownOutcomes(database, { ...filter, isReviewed: reviewed }, now);
          const head = reviewed ? [...unknownHead, 'REVIEWED', 'NOTE'] : unknownHead;
          printList(found, limit, json, unknownObject(now), head, unknownRow(now));
        } else {
          const found = await listTasks(database, filter);
          const at = await queuePositions(database, found);
          printList(found, limit, json, taskObject(at), taskHead(currency), taskRow(at, now));
        }
      });
    });

  tasks
    .command('show <id>')
    .description('show a task and its upstream calls')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: { json?: boolean }) =>
      withDatabase(async ({ currency, database }) => {
        const task = (await findTaskFacts(database, id)) ?? noTask(id);
        const intents = await intentsOf(database, task.id);
        const at = await queuePositions(database, [task]);
        const reference = providerReference(task.id);
        show(
          { ...taskObject(at)(task), reference, intents: intents.map(intentObject) },
          json,
          taskText(task, { intents, at, currency }),
        );
      }),
    );

  tasks
    .command('cancel <id>')
    .description('end a task that has not ended, give its hold back, and have its job stopped where that can be')
    .option('--reason <text>', 'stored in the audit log', reasonOf)
    .option('--json', 'print the task as JSON')
    .action(async (id: string, { reason, json }: { reason?: string; json?: boolean }) =>
      withDatabase(async ({ currency, database, ledger, by: { actor } }) => {
        const task = (await findTaskToRelease(database, id)) ?? noTask(id);
        const isCancelled = await cancelTask(ledger, task, { actor, ...(reason !== undefined && { reason }) });
        const facts = (await findTaskFacts(database, id)) ?? noTask(id);
        if (!isCancelled) throw new Refusal(`Task ${id} has already ended: ${facts.state}.`);
        await notifyFinal(database, [task.id]).catch(() => undefined); // who waits looks once a second, too
        show(
          taskObject(noneQueued)(facts),
          json,
          `${id} is cancelled; hold of ${amountText(facts.hold)} ${currency} released.`,
        );
      }),
    );

  tasks
    .command('review <id>')
    .description('mark an upstream call with an unknown outcome as reviewed; `list --unknown` then omits it')
    .requiredOption('--note <text>', 'what you found', reasonOf)
    .option('--route <number>', "which of the task's paid calls, where there are several", routeOf)
    .option('--json', 'print JSON')
    .action(async (id: string, { note, route, json }: ReviewOptions) =>
      withDatabase(async ({ database, by }) => {
        const task = (await findTaskFacts(database, id)) ?? noTask(id);
        const now = new Date();
        const open = await listUnknownOutcomes(database, { task: task.id, limit: limitMax, isReviewed: false }, now);
        const outcome = chosen(id, open, route);
        await reviewOutcome(by, outcome, note);
        const review = { by: by.actor, at: now, note };
        const line = `The upstream call of ${id} by route ${outcome.intent.route} is marked as reviewed.`;
        show(unknownObject(now)({ ...outcome, review }), json, line);
      }),
    );
}

interface ReviewOptions {
  note: string;
  route?: number;
  json?: boolean;
}

/** The paid call that is meant: that of the route, else the only one. */
function chosen(id: string, found: readonly UnknownOutcome[], route: number | undefined): UnknownOutcome {
  const [only, ...others] = found.filter(({ intent }) => route === undefined || intent.route === route);
  if (!only) throw new Refusal(`Task ${id} has no such upstream call with an unknown outcome.`);
  if (others.length === 0) return only;
  const routes = found.map(({ intent }) => intent.route).join(', ');
  throw new Refusal(
    `Task ${id} has several upstream calls with an unknown outcome: specify one with --route (${routes}).`,
  );
}

function routeOf(text: string): number {
  if (/^\d{1,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Must be the number of a route, from 0.');
}

function noTask(id: string): never {
  throw new Refusal(`Task ${id} not found.`);
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
  if (has_more) print(`More than ${limit} rows match. Use --limit to show more.`);
}

/** By id, of tasks that are queued. */
type Positions = ReadonlyMap<string, number>;
const noneQueued: Positions = new Map();

const taskObject = (at: Positions) => (task: TaskFacts) => ({
  id: task.id,
  object: task.kind,
  model: task.model,
  status: publicStatus(task.state),
  state: task.state,
  queue_position: at.get(task.id) ?? null,
  account_id: task.accountId,
  key_id: task.keyId,
  request_id: task.requestId,
  created: unixSeconds(task.createdAt),
  started: task.startedAt && unixSeconds(task.startedAt),
  finished: task.finishedAt && unixSeconds(task.finishedAt),
  removed: task.removedAt && unixSeconds(task.removedAt),
  hold: toAmount(task.hold),
  cost: task.cost === null ? null : toAmount(task.cost),
  error: task.error && errorBody(task.error),
});

const unreadableObject = ({ id, accountId, createdAt, fault }: UnreadableTask) => ({
  object: 'unreadable_task',
  id,
  account_id: accountId,
  created: unixSeconds(createdAt),
  fault,
});

const unreadableCells = ({ id, accountId, createdAt, fault }: UnreadableTask): string[] => [
  id,
  accountId,
  createdAt.toISOString().replace(/\.\d+Z$/, 'Z'),
  plain(fault),
];

const intentObject = (intent: IntentFacts) => ({
  route: intent.route,
  provider: intent.provider,
  outcome: intent.outcome,
  job_id: intent.jobId,
  upstream_request_id: intent.upstreamRequestId,
  reason: intent.reason,
  error: intent.error,
  sent: unixSeconds(intent.createdAt),
  closed: intent.closedAt && unixSeconds(intent.closedAt),
});

const unknownObject =
  (now: Date) =>
  ({ task, intent, review }: UnknownOutcome) => ({
    object: 'unknown_outcome',
    task_id: task.id,
    reference: providerReference(task.id),
    account_id: task.accountId,
    model: task.model,
    state: task.state,
    ...intentObject(intent),
    age_seconds: ageSeconds(intent.createdAt, now),
    ...(review && { review: { by: review.by, at: unixSeconds(review.at), note: review.note } }),
  });

const taskHead = (currency: string) => [
  ...['ID', 'ACCOUNT', 'MODEL', 'STATE', `HOLD (${currency})`, `COST (${currency})`, 'CREATED', 'AGE'],
];
const taskRow = (at: Positions, now: Date) => (task: TaskFacts) => [
  task.id,
  task.accountId,
  plain(task.model),
  stateText(task, at),
  amountText(task.hold),
  task.cost === null ? '-' : amountText(task.cost),
  moment(task.createdAt),
  age(task.createdAt, now),
];

/** `queued (3)`: the third of its key. */
function stateText({ id, state }: TaskFacts, at: Positions): string {
  const position = at.get(id);
  return position === undefined ? state : `queued (${position})`;
}

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
  ({ task, intent, review }: UnknownOutcome) => [
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
    ...(review ? [moment(review.at), plain(review.note)] : []),
  ];

/** A task for people: a line a fact, then its paid calls as a table. */
function taskText(
  task: TaskFacts,
  { intents, at, currency }: { intents: readonly IntentFacts[]; at: Positions; currency: string },
): string {
  const facts = table(
    [task.id, `${task.kind}, ${stateText(task, at)}`],
    [
      ['model', plain(task.model)],
      ['account', task.accountId],
      ['key', task.keyId],
      ['request', plain(task.requestId)],
      ['reference', providerReference(task.id)],
      ['created', moment(task.createdAt)],
      ...(task.dequeuedAt ? [['dequeued', moment(task.dequeuedAt)]] : []),
      ['started', moment(task.startedAt)],
      ['finished', moment(task.finishedAt)],
      ['removed', removal(task)],
      ['hold', `${amountText(task.hold)} ${currency}`],
      ['cost', task.cost === null ? '-' : `${amountText(task.cost)} ${currency}`],
      ['error', task.error ? plain(`${task.error.code}: ${task.error.message}`, errorCharactersMax) : '-'],
    ],
  );
  if (intents.length === 0) return `${facts}\nNo upstream call was made.`;
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
const plain = (text: string | null, charactersMax = cellCharactersMax): string =>
  text === null ? '-' : text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').slice(0, charactersMax);

const moment = (date: Date | null): string => (date ? date.toISOString().replace(/\.\d+Z$/, 'Z') : '-');

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

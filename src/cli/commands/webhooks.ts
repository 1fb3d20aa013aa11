/** `tollgate webhooks list|show|replay`: events that are owed to webhooks. Of an address only the host is shown. */
import type { Command } from 'commander';
import { unixSeconds } from '../../domain/unix-seconds.ts';
import type { Database } from '../../postgres/database.ts';
import {
  attemptsOf,
  type EventFacts,
  findEvent,
  listEvents,
  type NumberedAttempt,
  replayEvent,
} from '../../webhooks/event-log.ts';
import { eventDaysKept } from '../../webhooks/expired-events.ts';
import { findTaskFacts } from '../../tasks/provider-calls/intent-reports.ts';
import { withDatabase } from '../administration.ts';
import { print, Refusal, show, table } from '../output.ts';
import { known } from './accounts.ts';

const listedMax = 100;

interface ListOptions {
  account?: string;
  failed?: boolean;
  json?: boolean;
}

export function addWebhookCommands(program: Command): void {
  const webhooks = program.command('webhooks').description('list, show and resend webhook events');

  webhooks
    .command('list')
    .description(`list the last ${listedMax} events with their last attempt, newest first`)
    .option('--account <id>', 'only of this account')
    .option('--failed', 'only events whose delivery failed for good')
    .option('--json', 'print JSON')
    .action(async ({ account, failed, json }: ListOptions) =>
      withDatabase(async ({ database }) => {
        const of = account === undefined ? undefined : (await known(database, account)).id;
        const filter = {
          ...(of && { account: of }),
          ...(failed === true && { state: 'failed' as const }),
          limit: listedMax + 1,
        };
        const found = await listEvents(database, filter);
        const [shown, has_more] = [found.slice(0, listedMax), found.length > listedMax];
        if (json === true) {
          print(JSON.stringify({ object: 'list', data: shown.map(eventObject), has_more, next_cursor: null }));
        } else print(table(head, shown.map(cells)));
      }),
    );

  webhooks
    .command('show <id>')
    .description('show all delivery attempts of an event; <id> is a task id or an event id')
    .option('--json', 'print the event with its attempts as JSON')
    .action(async (id: string, { json }: { json?: boolean }) =>
      withDatabase(async ({ database }) => {
        const event = (await findEvent(database, id)) ?? (await refuseUntold(database, id));
        const attempts = await attemptsOf(database, event.id);
        const object = { ...eventObject(event), deliveries: attempts.map(attemptObject) };
        show(object, json, `${table(head, [cells(event)])}\n\n${table(attemptHead, attempts.map(attemptCells))}`);
      }),
    );

  webhooks
    .command('replay <id>')
    .description('resend an event that was delivered or failed; <id> is a task id or an event id')
    .option('--json', 'print the event as JSON')
    .action(async (id: string, { json }: { json?: boolean }) =>
      withDatabase(async ({ database, by }) => {
        const found = (await findEvent(database, id)) ?? (await refuseUntold(database, id));
        if (!(await replayEvent(by, found.id))) {
          throw new Refusal(`Event ${found.id} is still being delivered; it is retried for 24 hours.`);
        }
        const event = (await findEvent(database, found.id)) ?? found;
        const subject = event.taskId === null ? '' : ` (${event.type} of ${event.taskId})`;
        show(eventObject(event), json, `${event.id}${subject} is being resent to ${event.host}.`);
      }),
    );
}

/** Says why there is no event of this id, or of the task of this id. */
async function refuseUntold(database: Database, id: string): Promise<never> {
  const task = await findTaskFacts(database, id);
  if (!task) throw new Refusal(`No event or task has the id ${id}.`);
  if (!task.finishedAt) throw new Refusal(`Task ${id} has not ended; its webhook event is sent when it ends.`);
  if (task.finishedAt.getTime() < Date.now() - eventDaysKept * 86_400_000) {
    throw new Refusal(`Task ${id} ended more than ${eventDaysKept} days ago; events are deleted after that.`);
  }
  throw new Refusal(
    `Task ${id} has no webhook event: neither its request nor its account had a webhook URL when it ended.`,
  );
}

type EventStatus = 'waiting' | 'sending' | 'delivered' | 'given_up';

function statusOf({ startedAt, delivered }: EventFacts): EventStatus {
  if (delivered !== null) return delivered ? 'delivered' : 'given_up';
  return startedAt === null ? 'waiting' : 'sending';
}

const eventObject = (event: EventFacts) => ({
  id: event.id,
  object: 'event',
  type: event.type,
  account_id: event.accountId,
  task_id: event.taskId,
  host: event.host,
  status: statusOf(event),
  created: unixSeconds(event.createdAt),
  ended: event.endedAt && unixSeconds(event.endedAt),
  attempts: event.attempts,
  last_attempt: event.last && {
    at: unixSeconds(event.last.at),
    duration_ms: event.last.durationMs,
    http_status: event.last.status,
    fault: event.last.fault,
  },
});

const head = ['ID', 'ACCOUNT', 'TYPE', 'TASK', 'HOST', 'STATUS', 'CREATED', 'ATTEMPTS', 'LAST', 'WHY'];
const cells = (event: EventFacts): string[] => [
  event.id,
  event.accountId,
  event.type,
  event.taskId ?? '-',
  event.host,
  statusOf(event),
  moment(event.createdAt),
  String(event.attempts),
  event.last ? moment(event.last.at) : '-',
  event.last?.fault ?? '-',
];

const attemptObject = ({ attempt, at, durationMs, status, fault, answer }: NumberedAttempt) => ({
  attempt,
  at: unixSeconds(at),
  duration_ms: durationMs,
  http_status: status,
  fault,
  answer,
});
const attemptHead = ['ATTEMPT', 'AT', 'MS', 'HTTP', 'WHY'];
const attemptCells = ({ attempt, at, durationMs, status, fault }: NumberedAttempt): string[] => [
  String(attempt),
  moment(at),
  String(durationMs),
  status === null ? '-' : String(status),
  fault ?? '-',
];

const moment = (date: Date): string => date.toISOString().replace(/\.\d+Z$/, 'Z');

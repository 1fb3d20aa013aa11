/** The events of an account: what was sent to webhooks, what became of it, and sending it again. */
import * as z from 'zod';
import { GatewayError } from '../../../domain/errors.ts';
import type { AccountId } from '../../../domain/ids.ts';
import {
  attemptsOf,
  dataOfEvent,
  type EventFacts,
  findEvent,
  listEvents,
  replayEvent,
} from '../../../webhooks/event-log.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { type Listing, listObject, readPage } from '../../lists/list-page.ts';
import { cursorRule, limit, pageRowsDefault } from '../../lists/list-query.ts';
import { accountCall } from '../console-call.ts';
import { listOf } from '../list-record.ts';
import {
  presentAttempt,
  presentAttemptWithAnswer,
  webhookAttempt,
  webhookAttemptWithAnswer,
} from '../webhook-attempt.ts';

export const eventFields = {
  id: z.string(),
  type: z.string(),
  task: z.string().nullable(),
  /** Host and port. */
  host: z.string(),
  created: z.iso.datetime(),
  /** null while it is on its way. */
  delivered: z.boolean().nullable(),
  attempts: z.int(),
  /** The last of them. */
  last: webhookAttempt.nullable(),
};
const eventRecord = z.strictObject(eventFields);
const idForm = /^evt_[0-9a-f]{32}$/;
export const eventCursor = z.string(cursorRule).regex(idForm, cursorRule).optional();

const listCall = accountCall({
  method: 'get',
  path: '/accounts/{account}/events',
  id: 'listEvents',
  summary: 'Events that were owed to webhooks, newest first',
  needs: 'member',
  query: z.object({
    limit,
    cursor: eventCursor,
    status: z.enum(['failed', 'all'], "must be 'failed' or 'all'").optional(),
  }),
  answer: listOf(eventRecord),
  handle: async ({ deps: { database }, account, query: { limit: rows = pageRowsDefault, cursor, status } }) => {
    const listing: Listing<EventFacts, string> = {
      read: (page) => listEvents(database, { account, state: status === 'failed' ? status : undefined, ...page }),
      positionOf: ({ id }) => id,
      cursorOf: (id) => id,
    };
    return listObject(await readPage(listing, { limit: rows, after: cursor }), presentEvent);
  },
});

const pageRecord = z.strictObject({
  ...eventFields,
  /** What was sent; null of a task, whose record is made anew for each attempt. */
  data: z.unknown(),
  course: z.array(webhookAttemptWithAnswer),
});

const getCall = accountCall({
  method: 'get',
  path: '/accounts/{account}/events/{event}',
  id: 'getEvent',
  summary: 'One event with what was sent and every attempt',
  needs: 'member',
  answer: pageRecord,
  handle: async ({ deps, account, params, role, person: { isOperator } }) =>
    presentPage(deps, await eventOf(deps, account, params['event']), role !== 'member' || isOperator),
});

const replayCall = accountCall({
  method: 'post',
  path: '/accounts/{account}/events/{event}/replay',
  id: 'replayEvent',
  summary: 'Send an event once more, if it was delivered or given up',
  needs: 'owner',
  answer: pageRecord,
  handle: async ({ deps, account, by, params }) => {
    const event = await eventOf(deps, account, params['event']);
    await replayEvent(by, event.id);
    return presentPage(deps, await eventOf(deps, account, event.id), true);
  },
});

/** Each is an entry of the audit log and a delivery. */
export const replayedMax = 100;

const replayFailedCall = accountCall({
  method: 'post',
  path: '/accounts/{account}/events/replay',
  id: 'replayFailedEvents',
  summary: `Send the newest events once more that were given up, ${replayedMax} at the most`,
  needs: 'owner',
  answer: z.strictObject({ replayed: z.int() }),
  handle: async ({ deps, account, by }) => {
    let replayed = 0;
    for (const { id } of await listEvents(deps.database, { account, state: 'failed', limit: replayedMax }))
      if (await replayEvent(by, id)) replayed += 1;
    return { replayed };
  },
});

export const eventCalls = [listCall, getCall, replayCall, replayFailedCall];

/** Refuses with `route_not_found` what is no id, no event, or another account's. */
async function eventOf({ database }: ApiDependencies, account: AccountId, id = ''): Promise<EventFacts> {
  const event = idForm.test(id) ? await findEvent(database, id) : undefined;
  if (event?.accountId !== account)
    throw new GatewayError('route_not_found', 'This account has no event with this id.');
  return event;
}

export const presentEvent = ({
  id,
  type,
  taskId,
  host,
  createdAt,
  delivered,
  attempts,
  last,
}: EventFacts): z.input<typeof eventRecord> => ({
  ...{ id, type, task: taskId, host, delivered, attempts },
  created: createdAt.toISOString(),
  last: last && presentAttempt({ ...last, attempt: attempts }),
});

async function presentPage(
  { database }: ApiDependencies,
  event: EventFacts,
  seesAnswers: boolean,
): Promise<z.input<typeof pageRecord>> {
  const [data, course] = await Promise.all([dataOfEvent(database, event.id), attemptsOf(database, event.id)]);
  return {
    ...presentEvent(event),
    data,
    course: course.map((attempt) => presentAttemptWithAnswer(attempt, seesAnswers)),
  };
}

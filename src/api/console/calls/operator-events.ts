/** The webhook events of all accounts, for operators; one is looked at and sent again as its owners do it. */
import * as z from 'zod';
import { accountNames } from '../../../accounts/account-names.ts';
import type { AccountId } from '../../../domain/ids.ts';
import { list } from '../../../domain/requests/parse.ts';
import { type EventFacts, eventStates, listEvents, replayEvent } from '../../../webhooks/event-log.ts';
import { idFilter } from '../../lists/ledger-list.ts';
import { type Listing, listObject, readPage } from '../../lists/list-page.ts';
import { limit, pageRowsDefault } from '../../lists/list-query.ts';
import { operatorCall } from '../console-call.ts';
import { listOf } from '../list-record.ts';
import { eventCursor, eventFields, presentEvent, replayedMax } from './events.ts';

const record = z.strictObject({
  ...eventFields,
  account: z.strictObject({ id: z.string(), name: z.string().nullable() }),
});

const filters = { account: idFilter, type: idFilter };

const listCall = operatorCall({
  method: 'get',
  path: '/operator/events',
  id: 'listAllEvents',
  summary: 'Events of all accounts that were owed to webhooks, newest first',
  query: z.object({
    limit,
    cursor: eventCursor,
    ...filters,
    status: z.enum(eventStates, `must be ${list(eventStates)}`).optional(),
  }),
  answer: listOf(record),
  handle: async ({
    deps: { database },
    query: { limit: rows = pageRowsDefault, cursor, account, type, status: state },
  }) => {
    const listing: Listing<EventFacts, string> = {
      read: (page) => listEvents(database, { account: account as AccountId | undefined, type, state, ...page }),
      positionOf: ({ id }) => id,
      cursorOf: (id) => id,
    };
    const page = await readPage(listing, { limit: rows, after: cursor });
    const names = await accountNames(database, [...new Set(page.rows.map(({ accountId }) => accountId))]);
    return listObject(page, (event): z.input<typeof record> => ({
      ...presentEvent(event),
      account: { id: event.accountId, name: names.get(event.accountId) ?? null },
    }));
  },
});

const replayFailedCall = operatorCall({
  method: 'post',
  path: '/operator/events/replay',
  id: 'replayAllFailedEvents',
  summary: `Send the newest events once more that were given up, of all accounts or of one, ${replayedMax} at the most`,
  body: z.strictObject(filters),
  answer: z.strictObject({ replayed: z.int() }),
  handle: async ({ deps: { database }, by, body: { account, type } }) => {
    let replayed = 0;
    const filter = { account: account as AccountId | undefined, type, state: 'failed' as const, limit: replayedMax };
    for (const { id } of await listEvents(database, filter)) if (await replayEvent(by, id)) replayed += 1;
    return { replayed };
  },
});

export const operatorEventCalls = [listCall, replayFailedCall];

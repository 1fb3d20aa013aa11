/** Paid calls of unknown outcome, for operators: what is known of each, and ticking them off once they were dealt with. */
import * as z from 'zod';
import { unixSeconds } from '../../../domain/unix-seconds.ts';
import { GatewayError } from '../../../domain/errors.ts';
import { providerReference } from '../../../domain/ids.ts';
import { toAmount } from '../../../domain/money.ts';
import { reasonField } from '../../../domain/requests/operator.ts';
import { taskKinds, type TaskState, taskStates } from '../../../domain/tasks/task-states.ts';
import { namesOf } from '../../../ledger/audit-log-list.ts';
import { reopenOutcome, reviewOutcome } from '../../../tasks/provider-calls/reviews.ts';
import {
  listUnknownOutcomes,
  unknownCaseOf,
  type UnknownOutcome,
  type UnknownOutcomePosition,
} from '../../../tasks/provider-calls/intent-reports.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { type Listing, listObject, readPage } from '../../lists/list-page.ts';
import { cursorRule, limit, pageRowsDefault } from '../../lists/list-query.ts';
import { operatorCall } from '../console-call.ts';
import { listOf } from '../list-record.ts';
import { actorObject, actorRecord } from '../operator-records.ts';

const outcomeRecord = z.strictObject({
  object: z.literal('unknown_outcome'),
  task_id: z.string(),
  /** What the provider was given as our reference of the task. */
  reference: z.string(),
  kind: z.enum(taskKinds),
  account_id: z.string(),
  account_name: z.string().nullable(),
  model: z.string(),
  state: z.enum(taskStates as [TaskState, ...TaskState[]]),
  hold: z.number(),
  /** What the caller paid for the task; null: nothing, so far. */
  cost: z.number().nullable(),
  finished: z.int().nullable(),
  route: z.int(),
  provider: z.string(),
  /** What is the matter with it, which decides what can be done. */
  case: z.enum(['searching', 'lost', 'late', 'left', 'abandoned', 'found']),
  job_id: z.string().nullable(),
  upstream_request_id: z.string().nullable(),
  reason: z.string().nullable(),
  sent: z.int(),
  closed: z.int().nullable(),
  review: z.strictObject({ by: actorRecord, created: z.int(), note: z.string() }).nullable(),
});

const taskForm = /^(?:img|vid|avt)_[0-9a-f]{32}$/;
const cursorForm = /^(\d{1,14})\.((?:img|vid|avt)_[0-9a-f]{32})\.(\d{1,3})$/;

const listCall = operatorCall({
  method: 'get',
  path: '/operator/unknown-outcomes',
  id: 'listUnknownOutcomes',
  summary: 'Paid calls whose outcome is unknown, newest first',
  query: z.object({
    limit,
    cursor: z
      .string(cursorRule)
      .regex(cursorForm, cursorRule)
      .transform((cursor): UnknownOutcomePosition => {
        const [, ms = '', task = '', route = ''] = cursorForm.exec(cursor) ?? [];
        return { sentAt: new Date(Number(ms)), task, route: Number(route) };
      })
      .optional(),
    state: z.enum(['open', 'reviewed'], "must be 'open' or 'reviewed'").optional(),
  }),
  answer: listOf(outcomeRecord),
  handle: async ({ deps, query: { limit: rows, cursor, state = 'open' } }) => {
    const { database } = deps;
    const isReviewed = state === 'reviewed';
    const listing: Listing<UnknownOutcome, UnknownOutcomePosition> = {
      read: (page) => listUnknownOutcomes(database, { ...page, isReviewed }, new Date()),
      positionOf: ({ task, intent }) => ({ sentAt: intent.createdAt, task: task.id, route: intent.route }),
      cursorOf: ({ sentAt, task, route }) => `${sentAt.getTime()}.${task}.${route}`,
    };
    const page = await readPage(listing, { limit: rows ?? pageRowsDefault, after: cursor });
    const present = await presenterOf(deps, page.rows);
    return listObject(page, present);
  },
});

const reviewCall = operatorCall({
  method: 'put',
  path: '/operator/unknown-outcomes/{task}/{route}/review',
  id: 'reviewOutcome',
  summary: 'Tick one off with a note of what was found out',
  body: z.strictObject({ note: reasonField }),
  answer: outcomeRecord,
  handle: async ({ deps, by, params, body: { note } }) => {
    await reviewOutcome(by, await named(deps, params), note);
    const outcome = await named(deps, params);
    return (await presenterOf(deps, [outcome]))(outcome);
  },
});

const reopenCall = operatorCall({
  method: 'delete',
  path: '/operator/unknown-outcomes/{task}/{route}/review',
  id: 'reopenOutcome',
  summary: 'Take the tick off again',
  answer: z.void(),
  handle: async ({ deps, by, params }) => {
    if (!(await reopenOutcome(by, await named(deps, params)))) throw notThere();
  },
});

export const operatorUnknownCalls = [listCall, reviewCall, reopenCall];

/** The paid call of the path, open or reviewed. */
async function named(
  { database }: ApiDependencies,
  { task = '', route = '' }: Readonly<Record<string, string>>,
): Promise<UnknownOutcome> {
  if (!taskForm.test(task)) throw notThere();
  const isOfRoute = ({ intent }: UnknownOutcome) => String(intent.route) === route;
  // Asked for once more at the end: it may be reviewed between the first two looks.
  for (const isReviewed of [true, false, true]) {
    const found = await listUnknownOutcomes(database, { task, isReviewed, limit: routesMax }, new Date());
    const outcome = found.find(isOfRoute);
    if (outcome) return outcome;
  }
  throw notThere();
}

const routesMax = 100;

async function presenterOf({ database }: ApiDependencies, outcomes: readonly UnknownOutcome[]) {
  const names = await namesOf(
    database,
    outcomes.flatMap(({ task, review }) => [task.accountId, ...(review ? [review.by] : [])]),
  );
  return (outcome: UnknownOutcome): z.input<typeof outcomeRecord> => {
    const { task, intent, review } = outcome;
    return {
      object: 'unknown_outcome',
      task_id: task.id,
      reference: providerReference(task.id),
      kind: task.kind,
      account_id: task.accountId,
      account_name: names.get(task.accountId) ?? null,
      model: task.model,
      state: task.state,
      hold: toAmount(task.hold),
      cost: task.cost === null ? null : toAmount(task.cost),
      finished: task.finishedAt && unixSeconds(task.finishedAt),
      route: intent.route,
      provider: intent.provider,
      case: unknownCaseOf(outcome),
      job_id: intent.jobId,
      upstream_request_id: intent.upstreamRequestId,
      reason: intent.reason ?? intent.error?.message ?? null,
      sent: unixSeconds(intent.createdAt),
      closed: intent.closedAt && unixSeconds(intent.closedAt),
      review: review && {
        by: actorObject(review.by, names.get(review.by) ?? null),
        created: unixSeconds(review.at),
        note: review.note,
      },
    };
  };
}

const notThere = (): GatewayError =>
  new GatewayError('route_not_found', 'No upstream call with an unknown outcome has this id.');

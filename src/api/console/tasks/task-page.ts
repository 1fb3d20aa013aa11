/** One task with everything that its page shows: request, course, files, money, webhook, and more for operators. */
import * as z from 'zod';
import { unixSeconds } from '../../../domain/unix-seconds.ts';
import { uploadsIn } from '../../../domain/tasks/stored-request.ts';
import type { StoredFile } from '../../../domain/tasks/task-states.ts';
import { entryTypes } from '../../../domain/billing/postings.ts';
import { toAmount } from '../../../domain/money.ts';
import { findKey } from '../../../accounts/api-keys.ts';
import { attemptsOf, findEvent } from '../../../webhooks/event-log.ts';
import { entriesOfTask, type Entry } from '../../../ledger/entries.ts';
import type { FileLink } from '../../../tasks/provider-calls/signed-links.ts';
import { type IntentFacts, intentsOf } from '../../../tasks/provider-calls/intent-reports.ts';
import { queuePositions } from '../../../tasks/rows/key-queues.ts';
import type { Task } from '../../../tasks/rows/task-rows.ts';
import { filePath } from '../../presenters/links.ts';
import { recordOf } from '../../presenters/tasks.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { presentAttemptWithAnswer, webhookAttemptWithAnswer } from '../webhook-attempt.ts';
import type { RoleHere } from '../console-call.ts';
import { courseOf, courseStep, wasFetched } from './task-timeline.ts';
import { presentTask, taskFields } from './task-line.ts';
import { presentRequest, taskRequest } from './task-request.ts';

const file = z.strictObject({
  /** A path of this origin; null once it was deleted. Showing a result by it does not fetch it. */
  url: z.string().nullable(),
  type: z.string(),
  bytes: z.int(),
  duration: z.number().nullable(),
  width: z.int().nullable(),
  height: z.int().nullable(),
});

const entryRecord = z.strictObject({
  id: z.string(),
  type: z.enum(entryTypes),
  created: z.int(),
  /** Signed, on the available balance; then what is available, and what was earned. */
  amount: z.number(),
  balance: z.number(),
  charged: z.number(),
  units: z.number().nullable(),
  unit: z.string().nullable(),
  unit_price: z.number().nullable(),
});

const webhook = z.strictObject({
  id: z.string(),
  type: z.string(),
  /** Host and port; the rest of the address is the account's secret. */
  host: z.string(),
  /** null while it is on its way. */
  delivered: z.boolean().nullable(),
  attempts: z.array(webhookAttemptWithAnswer),
});

const forOperators = z.strictObject({
  /** Of its workflow in Temporal's own interface, if that has an address. */
  workflow_url: z.string().nullable(),
  intents: z.array(
    z.strictObject({
      route: z.int(),
      provider: z.string(),
      outcome: z.enum(['open', 'accepted', 'finished', 'refused', 'unknown']),
      job_id: z.string().nullable(),
      upstream_request_id: z.string().nullable(),
      reason: z.string().nullable(),
      error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
      sent: z.iso.datetime(),
      closed: z.iso.datetime().nullable(),
    }),
  ),
});

export const taskPage = z.strictObject({
  ...taskFields,
  /** Of the creation. */
  request_id: z.string(),
  request: taskRequest.nullable(),
  /** The caller's own files; null where there are none, and once they were deleted. */
  uploads: z.array(z.strictObject({ name: z.string(), ...file.shape })).nullable(),
  files: z.array(file),
  /** Available after the end of the task. */
  balance: z.number().nullable(),
  /** When request and files were deleted, and why. */
  removed: z.strictObject({ at: z.iso.datetime(), why: z.enum(['fetched', 'expired', 'retention']) }).nullable(),
  /** Until when a result that can be fetched once can be. */
  fetchable_until: z.iso.datetime().nullable(),
  course: z.array(courseStep),
  entries: z.array(entryRecord),
  webhook: webhook.nullable(),
  /** As the public API shows it. */
  record: z.record(z.string(), z.unknown()),
  operator: forOperators.nullable(),
});

export async function presentTaskPage(
  deps: ApiDependencies,
  task: Task,
  { isOperator, role }: { isOperator: boolean; role: RoleHere },
): Promise<z.input<typeof taskPage>> {
  const { database, fetchWindowMs } = deps;
  const seesAnswers = isOperator || role !== 'member';
  const [key, intents, entries, event, positions] = await Promise.all([
    findKey(database, task.keyId),
    intentsOf(database, task.id),
    entriesOfTask(database, task.accountId, task.id),
    findEvent(database, task.id),
    queuePositions(database, [task]),
  ]);
  const attempts = event ? await attemptsOf(database, event.id) : [];
  const shownFile = fileOf(deps, task);
  const untilMs = (task.finishedAt?.getTime() ?? 0) + fetchWindowMs;
  const isPast = task.endedMs !== null && task.endedMs > fetchWindowMs;
  const isThere = task.state === 'succeeded' && !task.removedAt;
  return {
    ...presentTask(
      { ...task, hold: task.holdAmount, key: { id: task.keyId, name: key?.name ?? '' } },
      positions.get(task.id),
    ),
    request_id: task.requestId,
    request: task.request && presentRequest(task.request),
    uploads: task.uploads && uploadsIn(task.uploads).map(([name, stored]) => ({ name, ...shownFile(stored, name) })),
    files: (task.files ?? []).map((stored, index) => shownFile(stored, index)),
    balance: task.balanceAfter === null ? null : toAmount(task.balanceAfter),
    removed: task.removedAt && { at: task.removedAt.toISOString(), why: whyRemoved(task, fetchWindowMs) },
    fetchable_until: task.kind === 'avatar_talk' && isThere ? new Date(untilMs).toISOString() : null,
    course: courseOf(task, intents, attempts, { isOperator, fetchWindowMs }),
    entries: entries.map(presentEntry),
    webhook: event
      ? {
          id: event.id,
          type: event.type,
          host: event.host,
          delivered: event.delivered,
          attempts: attempts.map((attempt) => presentAttemptWithAnswer(attempt, seesAnswers)),
        }
      : null,
    record: recordOf(deps, {
      ...task,
      isGone: task.kind === 'avatar_talk' && task.state === 'succeeded' && (!isThere || isPast),
    }),
    operator: isOperator
      ? { workflow_url: deps.workflowUrl(task.id) ?? null, intents: intents.map(presentIntent) }
      : null,
  };
}

const fileOf =
  ({ secrets }: ApiDependencies, { id, removedAt }: Task) =>
  (stored: StoredFile, name: FileLink['file']): z.input<typeof file> => ({
    url: removedAt ? null : filePath(secrets, id, name),
    type: stored.mediaType,
    bytes: stored.bytes,
    duration: stored.durationMs === undefined ? null : stored.durationMs / 1000,
    width: stored.width ?? null,
    height: stored.height ?? null,
  });

function whyRemoved(task: Task, fetchWindowMs: number): 'fetched' | 'expired' | 'retention' {
  if (wasFetched(task, fetchWindowMs)) return 'fetched';
  return task.kind === 'avatar_talk' && task.state === 'succeeded' ? 'expired' : 'retention';
}

const presentEntry = (entry: Entry): z.input<typeof entryRecord> => ({
  id: `${entry.transferId}.${entry.type}`,
  type: entry.type,
  created: unixSeconds(entry.createdAt),
  amount: toAmount(entry.amount),
  balance: toAmount(entry.balance),
  charged: toAmount(entry.charged),
  units: entry.units,
  unit: entry.unit,
  unit_price: entry.unitPrice === null ? null : toAmount(entry.unitPrice),
});

const presentIntent = (intent: IntentFacts) => ({
  route: intent.route + 1,
  provider: intent.provider,
  outcome: intent.outcome,
  job_id: intent.jobId,
  upstream_request_id: intent.upstreamRequestId,
  reason: intent.reason,
  error: intent.error && { code: intent.error.code, message: intent.error.message },
  sent: intent.createdAt.toISOString(),
  closed: intent.closedAt?.toISOString() ?? null,
});

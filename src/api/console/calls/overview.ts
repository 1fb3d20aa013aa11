/** The account at a glance: its money, what was charged lately, what runs and what failed. Asked for every few seconds. */
import * as z from 'zod';
import { unixSeconds } from '../../../domain/unix-seconds.ts';
import { dayAfter, dayIn } from '../../../domain/time-zone.ts';
import { GatewayError } from '../../../domain/errors.ts';
import { type Money, plus, toAmount, zero } from '../../../domain/money.ts';
import { taskKinds } from '../../../domain/tasks/task-states.ts';
import { findAccount } from '../../../accounts/accounts.ts';
import { hasCalls } from '../../../accounts/first-call.ts';
import { type DayCharges, recentCharges } from '../../../ledger/recent-charges.ts';
import { type TaskSummary, tasksNamed, tasksUnderWay } from '../../../tasks/rows/task-summary.ts';
import { firstOfKind } from '../../model-catalogue.ts';
import { accountFields, accountObject } from '../../presenters/account.ts';
import { accountCall } from '../console-call.ts';

/** Days of the chart, today among them. */
const chartDays = 30;
/** Days in which a failure is recent, today among them. */
const failureDays = 7;
const tasksMax = 5;

const { balance, held, low_balance, currency } = accountFields;
const seconds = z.int().describe('Unix seconds.');
const task = z.strictObject({ id: z.string(), kind: z.enum(taskKinds), model: z.string(), created: seconds });
const spent = z.strictObject({ cost: z.number(), calls: z.int() });

const getOverview = accountCall({
  method: 'get',
  path: '/accounts/{account}/overview',
  id: 'getOverview',
  summary: 'Balance, spend, running tasks and recent failures',
  needs: 'member',
  answer: z.strictObject({
    object: z.literal('overview'),
    ...{ balance, held, low_balance, currency },
    has_calls: z.boolean().describe('Whether anything was ever called.'),
    example_model: z.string().nullable().describe('A chat model to begin with.'),
    today: spent.extend({ day: z.string().describe("Of the account's time zone, as all days here.") }),
    month: spent.extend({ month: z.string() }),
    charges: z.array(spent.extend({ day: z.string(), model: z.string() })).describe('Of the last 30 days.'),
    running: z.strictObject({ count: z.int(), newest: z.array(task.extend({ state: z.string() })) }),
    failed: z.strictObject({
      days: z.int(),
      count: z.int(),
      newest: z.array(
        task.extend({ finished: seconds, error: z.strictObject({ code: z.string(), message: z.string() }) }),
      ),
    }),
  }),
  handle: async ({ deps: { calls, configuration, database }, account }) => {
    await calls.settled(account);
    const found = await findAccount(database, account);
    if (!found) throw new GatewayError('internal_error', 'This account no longer exists.');
    const { timeZone } = found;
    const now = new Date();
    const today = dayIn(timeZone, now);
    const month = today.slice(0, 7);
    const recent = await recentCharges(database, account, found.seq, { timeZone, now });
    const failures = recent.filter(({ day }) => day >= dayAfter(today, 1 - failureDays));
    const [underWay, failed, called] = await Promise.all([
      tasksUnderWay(database, account, tasksMax),
      tasksNamed(database, account, newestOf(failures)),
      recent.some(({ calls }) => calls > 0) || hasCalls(database, account),
    ]);
    const { balance, held, low_balance, currency } = accountObject(found, configuration.currency);
    return {
      object: 'overview' as const,
      ...{ balance, held, low_balance, currency },
      has_calls: called,
      example_model: firstOfKind(configuration, 'chat') ?? null,
      today: { day: today, ...sumOf(recent.filter(({ day }) => day === today)) },
      month: { month, ...sumOf(recent.filter(({ day }) => day.startsWith(month))) },
      charges: recent
        .filter(({ day, calls }) => calls > 0 && day >= dayAfter(today, 1 - chartDays))
        .map(({ day, model, calls, cost }) => ({ day, model, calls, cost: toAmount(cost) })),
      running: {
        count: underWay.count,
        newest: underWay.newest.map((task) => ({ ...taskObject(task), state: task.state })),
      },
      failed: {
        days: failureDays,
        count: failures.reduce((count, { failed }) => count + failed, 0),
        newest: failed.map((task) => ({
          ...taskObject(task),
          finished: unixSeconds(task.finishedAt ?? task.createdAt),
          error: { code: task.errorCode ?? 'internal_error', message: task.errorMessage ?? 'The task failed.' },
        })),
      },
    };
  },
});

export const overviewCalls = [getOverview];

function sumOf(charges: readonly DayCharges[]) {
  const cost = charges.reduce<Money>((sum, { cost }) => plus(sum, cost), zero);
  return { cost: toAmount(cost), calls: charges.reduce((count, { calls }) => count + calls, 0) };
}

const newestOf = (charges: readonly DayCharges[]): string[] =>
  charges
    .flatMap(({ failures }) => failures)
    .sort((a, b) => (a.seq < b.seq ? 1 : -1))
    .slice(0, tasksMax)
    .map(({ taskId }) => taskId);

const taskObject = ({ id, kind, model, createdAt }: TaskSummary) => ({
  ...{ id, kind, model },
  created: unixSeconds(createdAt),
});

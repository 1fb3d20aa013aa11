/** Paid calls of unknown outcome that an operator has dealt with, each with what was found out. */
import { administer, type Administrator } from '../../ledger/audit-log.ts';
import type { UnknownOutcome } from './intent-reports.ts';

/** Ticks a paid call off, or notes something else of one that was; the log keeps every note. */
export async function reviewOutcome(by: Administrator, { task, intent }: UnknownOutcome, note: string): Promise<void> {
  await administer(by, async (client) => {
    await client.query(
      `insert into reviews (task_id, route, reviewed_by, reviewed_at, note) values ($1, $2, $3, now(), $4)
       on conflict (task_id, route) do update set reviewed_by = excluded.reviewed_by, reviewed_at = excluded.reviewed_at,
         note = excluded.note`,
      [task.id, intent.route, by.actor, note],
    );
    return { act: { action: 'outcome.reviewed', ...aboutOf(task, intent.route), reason: note }, outcome: true };
  });
}

/** Takes the tick off again; returns whether there was one. */
export async function reopenOutcome(by: Administrator, { task, intent }: UnknownOutcome): Promise<boolean> {
  const done = await administer(by, async (client) => {
    const { rowCount } = await client.query('delete from reviews where task_id = $1 and route = $2', [
      task.id,
      intent.route,
    ]);
    if (rowCount !== 1) return undefined;
    return { act: { action: 'outcome.reopened', ...aboutOf(task, intent.route) }, outcome: true };
  });
  return done ?? false;
}

const aboutOf = (task: UnknownOutcome['task'], route: number) => ({
  account: task.accountId,
  subject: null,
  details: { task_id: task.id, route: String(route) },
});

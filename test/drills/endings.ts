/** The wait at the end of a drill: until every task is final, every webhook delivered, and every hold settled or swept. */
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { World } from './world.ts';

export interface Left {
  tasks: number;
  webhooks: number;
  holds: number;
}

const lookMs = 500;
/** Without any change: a task that shows no sign of life is looked after when five minutes have passed. */
const tasksMsMax = 420_000;
/** A lease of a minute, and sweeps every quarter of one. */
const holdsMsMax = 120_000;
const leftRow = z.object({ tasks: z.number(), webhooks: z.number(), holds: z.number() });

/**
 * Resolves with what is left: nothing, or what did not change for long. `withHolds`: also waits for the sweep of what
 * dead gateways held for calls, a minute and more.
 */
export async function allEnded(
  { database }: Pick<World, 'database'>,
  { withHolds, onLeft }: { withHolds: boolean; onLeft: (left: Left) => unknown },
): Promise<Left> {
  let before = '';
  for (let changedAt = performance.now(); ;) {
    const { rows } = await database.pool.query(
      `select (select count(*) from tasks where finished_at is null)::int as tasks,
         (select count(*) from events where ended_at is null)::int as webhooks,
         (select count(*) from holds where state = 'held')::int as holds`,
    );
    const left = leftRow.parse(rows[0]);
    if (left.tasks + left.webhooks + (withHolds ? left.holds : 0) === 0) return left;
    const now = JSON.stringify(left);
    if (now !== before) {
      onLeft(left);
      changedAt = performance.now();
    }
    before = now;
    if (performance.now() - changedAt > (left.tasks + left.webhooks > 0 ? tasksMsMax : holdsMsMax)) return left;
    await pause(lookMs);
  }
}

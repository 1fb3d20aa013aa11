/** The steps of a task at which something may die, and how to distinguish them: by the rows, and by what the provider has seen. */
import type pg from 'pg';
import { z } from 'zod';
import type { Seen } from './provider.ts';

/** In the order in which a task comes to them. */
export const taskSteps = [
  'accepted, not started',
  'started, nothing sent',
  'intent written, not sent',
  'sent, not answered',
  'answered, not noted',
  'outcome unknown',
  'taken, being polled',
  'result half sent',
  'result sent, not settled',
  'settled, webhook not sent',
  'webhook owed',
] as const;
export type TaskStep = (typeof taskSteps)[number];

/** What callers were in the middle of. */
export const callSteps = ['call under way', 'caller waiting', 'upload under way', 'download under way'] as const;
export type CallStep = (typeof callSteps)[number];

export type Step = TaskStep | CallStep;

/** Steps that last only as long as a packet travels: a query of the database in between would miss them. */
export const stepSeen: Partial<Record<TaskStep, Seen>> = {
  'sent, not answered': 'create arrived',
  'answered, not noted': 'create answered',
  'result half sent': 'half of the result sent',
  'result sent, not settled': 'all of the result sent',
};

/** Where each task is that is under way or whose webhook has not been delivered. `seenOf`: the last that its provider saw of it. */
export async function whereTasksAre(
  pool: pg.Pool,
  seenOf: (task: string) => Seen | undefined,
): Promise<Map<string, TaskStep>> {
  const { rows } = await pool.query(
    `select t.id, t.finished_at is not null as ended, t.started_at is not null as started, i.outcome,
       e.started_at is not null as telling
     from tasks t left join intents i on i.task_id = t.id left join events e on e.task_id = t.id
     where t.finished_at is null or t.id in (select task_id from events where ended_at is null and task_id is not null)`,
  );
  return new Map(rows.map((row) => taskRow.parse(row)).map((row) => [row.id, stepOf(row, seenOf(row.id))]));
}

const taskRow = z.object({
  ...{ id: z.string(), ended: z.boolean(), started: z.boolean() },
  ...{ outcome: z.string().nullable(), telling: z.boolean() },
});

function stepOf({ ended, started, outcome, telling }: z.output<typeof taskRow>, seen: Seen | undefined): TaskStep {
  if (ended) return telling ? 'webhook owed' : 'settled, webhook not sent';
  if (outcome === null) return started ? 'started, nothing sent' : 'accepted, not started';
  if (seen === 'half of the result sent') return 'result half sent';
  if (seen === 'all of the result sent') return 'result sent, not settled';
  if (outcome === 'unknown') return 'outcome unknown';
  if (outcome !== 'open') return 'taken, being polled';
  if (seen === undefined) return 'intent written, not sent';
  return seen === 'create arrived' ? 'sent, not answered' : 'answered, not noted';
}

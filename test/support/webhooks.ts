/** Receivers of webhooks for tests: what came, checked as a receiver would check it, by code that shares nothing with ours. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import type { Database } from '../../src/postgres/database.ts';
import type { SeenRequest } from './upstream.ts';

/** Checks a delivery's form and its first signatures by these secrets, in this order; returns its id and body. */
export function assertDelivery(
  { method, headers, body }: SeenRequest,
  secrets: readonly string[],
): { id: string; event: { type: string; timestamp: string; data: Record<string, unknown> } } {
  assert.equal(method, 'POST');
  assert.equal(headers['content-type'], 'application/json');
  assert.equal(headers['user-agent'], 'Tollgate');
  const id = String(headers['webhook-id']);
  const timestamp = String(headers['webhook-timestamp']);
  assert.ok(Math.abs(Number(timestamp) - Date.now() / 1000) < 60, timestamp);
  const expected = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  });
  assert.deepEqual(String(headers['webhook-signature']).split(' '), expected);
  const event = JSON.parse(body.toString()) as { type: string; timestamp: string; data: Record<string, unknown> };
  assert.deepEqual(Object.keys(event), ['type', 'timestamp', 'data']);
  return { id, event };
}

/** What became of an event: itself, and what was noted of its attempts. */
export interface KeptEvent {
  id: string;
  type: string;
  taskId: string | null;
  delivered: boolean | null;
  data: Record<string, unknown>;
  attempts: { attempt: number; status: number | null; fault: string | null }[];
}

/** The events of an account that are about itself, or about its tasks, oldest first. */
export async function eventsOf(database: Database, account: string, about: 'itself' | 'tasks' = 'itself') {
  const { rows } = await database.pool.query<KeptEvent>(
    `select id, type, task_id as "taskId", delivered, data, coalesce((
       select jsonb_agg(jsonb_build_object('attempt', attempt, 'status', status, 'fault', fault) order by attempt)
       from deliveries d where d.event_id = e.id), '[]') as attempts
     from events e where account_id = $1 and (task_id is null) = $2 order by created_at, id`,
    [account, about === 'itself'],
  );
  return rows;
}

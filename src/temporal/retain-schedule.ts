/** The Temporal Schedule that deletes what has served its time, every hour. */
import type { Client } from '@temporalio/client';
import type { retain } from '../workflows/retain.ts';
import type { QueueNames } from './temporal-names.ts';
import { ensureSchedule } from './schedules.ts';

/** The id of an installation's schedule, and what its workflows' ids begin with. */
export const retainScheduleId = ({ workflows }: QueueNames): string => `${workflows}-retain`;

/** Makes the schedule, or brings what it starts up to date. */
export const ensureRetainSchedule = (client: Client, queues: QueueNames): Promise<void> =>
  ensureSchedule(client, {
    id: retainScheduleId(queues),
    // Up to ten minutes late, so that gateways of one machine don't begin together.
    spec: { intervals: [{ every: '1h' }], jitter: '10m' },
    workflowType: 'retain' satisfies (typeof retain)['name'],
    taskQueue: queues.workflows,
    summary: 'deletion of expired results and files',
    details:
      'Deletes results and requests past their retention, and files that no row refers to. Cancelling it is harmless: the next run continues.',
    // The next one does the work of those that were missed.
    catchupWindow: '1 hour',
  });

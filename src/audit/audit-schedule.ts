/** The Temporal Schedule that runs the audit every night; operators move, pause and trigger it in Temporal's UI. */
import type { Client } from '@temporalio/client';
import type { audit } from '../workflows/audit.ts';
import type { QueueNames } from '../temporal/temporal-names.ts';
import { ensureSchedule } from '../temporal/schedules.ts';

/** The id of an installation's schedule, and what its workflows' ids begin with. */
export const auditScheduleId = ({ workflows }: QueueNames): string => `${workflows}-audit`;

/** Makes the schedule, or brings what it starts up to date. */
export const ensureAuditSchedule = (client: Client, queues: QueueNames): Promise<void> =>
  ensureSchedule(client, {
    id: auditScheduleId(queues),
    // 03:00 UTC, and up to ten minutes later, so that gateways of one database server don't begin together.
    spec: { calendars: [{ hour: 3, minute: 0 }], jitter: '10m' },
    workflowType: 'audit' satisfies (typeof audit)['name'],
    taskQueue: queues.workflows,
    summary: 'audit of ledger, tasks, blobs and workflows',
    details:
      'Writes only to the list of audits. Its result says whether there are discrepancies; they are listed in ' +
      'the console and the worker log, and by `tollgate audit`, which checks again. Triggering it at any time is harmless.',
    catchupWindow: '1 day',
  });

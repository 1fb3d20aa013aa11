/** The Temporal Schedule that runs the audit every night; operators move, pause and trigger it in Temporal's UI. */
import { type Client, ScheduleAlreadyRunning, type ScheduleOptions, ScheduleOverlapPolicy } from '@temporalio/client';
import type { audit } from '../workflows/audit.ts';
import type { QueueNames } from './names.ts';

type AuditAction = Extract<ScheduleOptions['action'], { type: 'startWorkflow' }>;

/** The id of an installation's schedule, and what its workflows' ids begin with. */
export const auditScheduleId = ({ workflows }: QueueNames): string => `${workflows}-audit`;

/**
 * Makes the schedule, or brings what it starts up to date. When it starts, and whether it is paused, is left as an
 * operator may have set it. Any number of workers may call this at once.
 */
export async function ensureAuditSchedule(client: Client, queues: QueueNames): Promise<void> {
  const scheduleId = auditScheduleId(queues);
  const action: AuditAction = {
    type: 'startWorkflow',
    workflowType: 'audit' satisfies (typeof audit)['name'],
    workflowId: scheduleId,
    taskQueue: queues.workflows,
    args: [],
    staticSummary: 'audit of ledger, tasks, blobs and workflows',
  };
  // One that was missed is made up for within a day; one at a time is enough.
  const policies = { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 day' } as const;
  try {
    await client.schedule.create({
      scheduleId,
      // 03:00 UTC, and up to ten minutes later, so that gateways of one database server don't begin together.
      spec: { calendars: [{ hour: 3, minute: 0 }], jitter: '10m' },
      action,
      policies,
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await client.schedule.getHandle(scheduleId).update(({ spec, state }) => ({ spec, state, action, policies }));
  }
}

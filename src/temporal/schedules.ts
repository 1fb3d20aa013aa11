/** Temporal Schedules of an installation: made by whichever worker starts first, then the operator's to move and pause. */
import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
  type ScheduleSpec,
} from '@temporalio/client';

type ScheduleAction = Extract<ScheduleOptions['action'], { type: 'startWorkflow' }>;

export interface WantedSchedule {
  /** Of the schedule, and what its workflows' ids begin with. */
  id: string;
  /** When it starts its workflow, at first. */
  spec: ScheduleSpec;
  workflowType: string;
  taskQueue: string;
  /** What the workflow is, in words for people. */
  summary: string;
  /** What an operator may do with it. */
  details: string;
  /** How late a start is made up for that was missed. */
  catchupWindow: `${number} ${'hour' | 'day'}`;
}

/**
 * Makes the schedule, or brings what it starts up to date. When it starts, and whether it is paused, is left as an
 * operator may have set it. Any number of workers may call this at once. One of its workflows runs at a time.
 */
export async function ensureSchedule(client: Client, wanted: WantedSchedule): Promise<void> {
  const { id: scheduleId, spec, workflowType, taskQueue, summary, details, catchupWindow } = wanted;
  const action: ScheduleAction = {
    type: 'startWorkflow',
    workflowType,
    workflowId: scheduleId,
    taskQueue,
    args: [],
    staticSummary: summary,
    staticDetails: details,
  };
  const policies = { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow };
  try {
    await client.schedule.create({ scheduleId, spec, action, policies });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await client.schedule.getHandle(scheduleId).update((is) => ({ spec: is.spec, state: is.state, action, policies }));
  }
}

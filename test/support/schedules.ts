/** Temporal Schedules under the hands of an operator. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';

/** Triggers a schedule, as an operator does in the UI, and answers the workflow's id once that has ended. */
export async function triggered(client: Client, scheduleId: string): Promise<string> {
  const schedule = client.schedule.getHandle(scheduleId);
  const before = (await schedule.describe()).info.numActionsTaken;
  await schedule.trigger();
  for (;;) {
    const { numActionsTaken, recentActions } = (await schedule.describe()).info;
    const id = recentActions.at(-1)?.action.workflow.workflowId;
    if (numActionsTaken > before && id !== undefined) {
      await client.workflow.getHandle(id).result();
      return id;
    }
    await pause(50);
  }
}

/** A workflow with as many activities as a plain task's and nothing else: the floor that a task is measured against. */
import { proxyActivities } from '@temporalio/workflow';
import type { BareActivities } from './task-latency.ts';

const activities = proxyActivities<BareActivities>({ startToCloseTimeout: '60s' });

export async function bare(path: string): Promise<number> {
  await activities.submit();
  return await activities.makeAndWrite(path);
}

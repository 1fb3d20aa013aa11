/** A workflow with as many activities as a plain task's and nothing else: the floor that a task is measured against. */
import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';

export interface BareActivities {
  submit(): Promise<void>;
  makeAndWrite(path: string): Promise<number>;
  settle(): Promise<void>;
}

const activities = proxyActivities<BareActivities>({ startToCloseTimeout: '60s' });
const house = proxyLocalActivities<BareActivities>({ startToCloseTimeout: '60s' });

/** Two activities and a local one, as a plain task has; returns the size of the image in bytes. */
export async function bare(path: string): Promise<number> {
  await activities.submit();
  const bytes = await activities.makeAndWrite(path);
  await house.settle();
  return bytes;
}

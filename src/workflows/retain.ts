/** The hourly deletion of what has served its time: one activity, which goes on where another attempt left off. */
import { proxyActivities } from '@temporalio/workflow';
import type { Retained, RetentionActivities } from '../activities/activity-types.ts';

// Without a bound on attempts: a database or a store that is away comes back, and the next run waits for this one.
const activities = proxyActivities<RetentionActivities>({
  startToCloseTimeout: '12h',
  heartbeatTimeout: '30s',
  summary: 'delete expired data',
  retry: { initialInterval: '10s', backoffCoefficient: 3, maximumInterval: '10m' },
});

export const retain = (): Promise<Retained> => activities.retain();

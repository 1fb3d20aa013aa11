/** Steps in our own database, for every workflow. */
import { proxyLocalActivities } from '@temporalio/workflow';
import type { HouseActivities } from '../activities/activity-types.ts';

/** Cheap, repeatable without limit, and past five seconds a timer on the server. */
export const house = proxyLocalActivities<HouseActivities>({
  startToCloseTimeout: '10s',
  localRetryThreshold: '5s',
  retry: { initialInterval: '100ms', backoffCoefficient: 2, maximumInterval: '60s' },
});

/** Steps in our own database, for every workflow. */
import { proxyLocalActivities } from '@temporalio/workflow';
import type { LocalActivities } from '../activities/activity-types.ts';

/** Cheap, repeatable without limit, and past five seconds a timer on the server. */
export const localSteps = proxyLocalActivities<LocalActivities>({
  startToCloseTimeout: '10s',
  localRetryThreshold: '5s',
  retry: { initialInterval: '100ms', backoffCoefficient: 2, maximumInterval: '60s' },
});

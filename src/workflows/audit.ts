/** The nightly audit: one activity, which takes as long as it takes. A disagreement is its result, not an error. */
import { proxyActivities } from '@temporalio/workflow';
import type { AuditActivities, Audited } from '../activities/activity-types.ts';

const activities = proxyActivities<AuditActivities>({
  startToCloseTimeout: '12h',
  heartbeatTimeout: '30s',
  summary: 'compare ledger, tasks, blobs and workflows',
  retry: { maximumAttempts: 3, initialInterval: '1m', backoffCoefficient: 5 },
});

export const audit = (): Promise<Audited> => activities.audit();

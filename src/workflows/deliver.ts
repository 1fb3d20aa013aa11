/**
 * The delivery of an event to a webhook. The event's row is the truth and this only drives it: each attempt reads the row
 * first and notes what became of it, so that starting or repeating a delivery is harmless. The payload is the event's id.
 */
import { CancellationScope, proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { BackgroundActivities, Delivery } from '../activities/activity-types.ts';
import { localSteps } from './local-activities.ts';
import { backgroundQueue } from '../domain/tasks/queues.ts';

export interface DeliverInput {
  eventId: string;
}

// An attempt that the receiver failed says itself when the next one comes, and after 24 hours that there is none. The
// policy is for failures of our own, which end by themselves. Heartbeats let another worker go on ten seconds after one
// has died; an attempt takes 15 s and its notes some more.
const attempts = () =>
  proxyActivities<BackgroundActivities>({
    taskQueue: backgroundQueue(workflowInfo().taskQueue),
    startToCloseTimeout: '60s',
    heartbeatTimeout: '10s',
    summary: 'post the event to the webhook',
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '60s' },
  });

export async function deliver({ eventId }: DeliverInput): Promise<Delivery> {
  setCurrentDetails('Delivering for up to 24 hours. For the last error see the pending activity.');
  const delivery = await attempt(eventId);
  setCurrentDetails(
    delivery.delivered
      ? 'Delivered.'
      : `Delivery failed. Once the receiver works again, resend with: tollgate webhooks replay ${eventId}`,
  );
  return delivery;
}

/** Cancelled, or broken by a fault of ours: what can't be delivered is given up, so that an operator sees it. */
async function attempt(eventId: string): Promise<Delivery> {
  try {
    return await attempts().deliver({ eventId });
  } catch {
    return CancellationScope.nonCancellable(() => localSteps.giveUp({ eventId }));
  }
}

/** What one task leaves in Temporal: its history's events and bytes, and the actions that Temporal Cloud would bill. */
import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';

const { EventType } = proto.temporal.api.enums.v1;

export interface HistoryFacts {
  events: number;
  activities: number;
  localActivities: number;
  actions: number;
  bytes: number;
  /** Each is a write of the history shard. */
  transitions: number;
}

/** Counts by the history. Actions as Temporal Cloud's price list has them: a start, each attempt of an activity, each timer, marker and upsert. */
export async function historyOf(client: Client, workflowId: string): Promise<HistoryFacts> {
  const handle = client.workflow.getHandle(workflowId);
  const { events } = await handle.fetchHistory();
  const { stateTransitionCount } = (await handle.describe()).raw.workflowExecutionInfo ?? {};
  const history = events ?? [];
  const count = (type: proto.temporal.api.enums.v1.EventType) =>
    history.filter(({ eventType }) => eventType === type).length;
  const activities = count(EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED);
  const localActivities = count(EventType.EVENT_TYPE_MARKER_RECORDED);
  const retries = history.reduce(
    (sum, { activityTaskStartedEventAttributes: started }) => sum + (started?.attempt ?? 1) - 1,
    0,
  );
  const others =
    count(EventType.EVENT_TYPE_TIMER_STARTED) + count(EventType.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES);
  const bytes = proto.temporal.api.history.v1.History.encode({ events: history }).finish().length;
  return {
    ...{ events: history.length, activities, localActivities, bytes, transitions: Number(stateTransitionCount ?? 0) },
    actions: 1 + activities + retries + localActivities + others,
  };
}

/** Resetting workflows as from Temporal's own console, over its API. */
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { historyJson } from './history.ts';

const { ResetWorkflowExecutionRequest: Request } = proto.temporal.api.workflowservice.v1;

/** Where a run can be reset to: the end of a workflow task. */
export interface ResetPoint {
  workflowId: string;
  runId: string;
  event: number;
}

/** All of the latest run, the first one first. They stay good when it has been reset and another one is the latest. */
export async function resetPoints(client: Client, workflowId: string): Promise<ResetPoint[]> {
  const handle = client.workflow.getHandle(workflowId);
  const { runId } = await handle.describe();
  const { events } = historyJson(await client.workflow.getHandle(workflowId, runId).fetchHistory());
  return events
    .filter(({ eventType }) => eventType === 'EVENT_TYPE_WORKFLOW_TASK_COMPLETED')
    .map(({ eventId }) => ({ workflowId, runId, event: Number(eventId) }));
}

/** Resets a workflow, whichever of its runs is the latest; returns the id of the run that begins there. */
export async function reset(client: Client, { workflowId, runId, event }: ResetPoint): Promise<string> {
  const request = Request.fromObject({
    namespace: client.options.namespace,
    workflowExecution: { workflowId, runId },
    reason: 'by a test',
    requestId: randomUUID(),
    workflowTaskFinishEventId: event,
  });
  return (await client.workflowService.resetWorkflowExecution(request)).runId;
}

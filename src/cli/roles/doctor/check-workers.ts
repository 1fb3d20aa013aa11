/** Who does the work: the workers that poll our queues, and what comes by the clock. */
import { type Client, ScheduleNotFoundError } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time.js';
import { providerKinds } from '../../../providers/registry.ts';
import type { Configuration } from '../../../config/configuration.ts';
import { lastWholeAudit } from '../../../audit/audit-results.ts';
import type { Database } from '../../../postgres/database.ts';
import { auditScheduleId } from '../../../audit/audit-schedule.ts';
import { scheduleMsMax } from '../../../temporal/connection.ts';
import type { QueueNames } from '../../../temporal/temporal-names.ts';
import { retainScheduleId } from '../../../temporal/retain-schedule.ts';
import { counted, fail, type Finding, ok, skip, type Verdict, warn } from './finding.ts';
import { within } from './check-temporal.ts';

/** A poll waits for a minute, so a worker that lives has begun one since. Temporal forgets pollers after five. */
const polledMsMax = 90_000;
const hourMs = 3_600_000;
/** The nightly audit, and one night that was missed. */
const auditAgeMsMax = 50 * hourMs;
type QueueType = 'workflow' | 'activity';
/** `TASK_QUEUE_TYPE_*` of Temporal's API. */
const queueTypes: Readonly<Record<QueueType, number>> = { workflow: 1, activity: 2 };

interface Pollers {
  count: number;
  /** Since the last poll began; undefined without any. */
  agoMs: number | undefined;
}

export async function examineWorkers(
  client: Client,
  { queues, now }: { queues: QueueNames; now: () => number },
  configuration: Configuration | undefined,
): Promise<Verdict<true>> {
  const pollers = (queue: string, type: QueueType) => pollersOf(client, { queue, type, now });
  const [batches, workflows, ...steps] = await Promise.all([
    pollers(queues.batches, 'activity'),
    pollers(queues.workflows, 'workflow'),
    pollers(queues.workflows, 'activity'),
    pollers(queues.background, 'activity'),
  ]);
  const gatewayQueues = judgePollers('workers', `queue ${queues.workflows}`, steps.reduce(worse, workflows));
  if (gatewayQueues.state === 'fail') return { findings: [gatewayQueues] };
  const batchQueue = judgePollers('batch queue', `queue ${queues.batches}`, batches);
  return { findings: [gatewayQueues, batchQueue, await providerQueues(queues, pollers, configuration)], value: true };
}

async function providerQueues(
  queues: QueueNames,
  pollers: (queue: string, type: 'activity') => Promise<Pollers>,
  configuration: Configuration | undefined,
): Promise<Finding> {
  const name = 'provider queues';
  if (!configuration) return skip(name, 'needs configuration');
  const providers = namesOfTaskProviders(configuration);
  const idle: string[] = [];
  await Promise.all(
    providers.map(async (provider) => {
      const queue = queues.submit(provider);
      const { agoMs } = await pollers(queue, 'activity');
      if (agoMs === undefined || agoMs > polledMsMax) idle.push(queue);
    }),
  );
  if (idle.length === 0) return ok(name, `all ${providers.length} are polled (${providers.join(', ')})`);
  const fix = 'send SIGHUP to the workers to reload tollgate.yaml, or restart them';
  return fail(name, `no worker polls ${idle.sort().join(', ')}`, fix);
}

/** What is said of one queue's pollers. */
export function judgePollers(name: string, queue: string, { count, agoMs }: Pollers): Finding {
  const start = "start a worker ('npx tollgate worker'), and check its log";
  if (agoMs === undefined) return fail(name, `no worker polls ${queue}`, start);
  const last = `last poll ${Math.max(0, Math.round(agoMs / 1000))} s ago`;
  if (agoMs > polledMsMax) return fail(name, `no worker polls ${queue} any more: ${last}`, start);
  return ok(name, `${counted(count, 'worker')} on ${queue}, ${last}`);
}

export async function examineSchedules(
  client: Client,
  {
    queues,
    database,
    now,
    ledgerKeys,
  }: {
    queues: QueueNames;
    database: Database;
    now: () => number;
    /** Undefined: the secret here is not the database's, so no seal can be looked at. */
    ledgerKeys: readonly Buffer[] | undefined;
  },
): Promise<Verdict<true>> {
  const [audit, retention, report] = await Promise.all([
    scheduleOf(client, 'audit schedule', auditScheduleId(queues)),
    scheduleOf(client, 'retention schedule', retainScheduleId(queues)),
    lastReport(database, ledgerKeys, now()),
  ]);
  return { findings: [audit, retention, report], value: true };
}

async function scheduleOf(client: Client, name: string, id: string): Promise<Finding> {
  try {
    const { state, info } = await within(client, () => client.schedule.getHandle(id).describe(), scheduleMsMax);
    const next = info.nextActionTimes[0];
    if (state.paused) return warn(name, `${id} is paused`, `temporal schedule toggle --unpause -s ${id}`);
    const last = info.recentActions.at(-1);
    if (!last) return ok(name, `${id} has not run yet, next ${timeOf(next)}`);
    const { workflowId, firstExecutionRunId } = last.action.workflow;
    const status = await statusOf(client, workflowId, firstExecutionRunId);
    const ran = `${id} ran at ${timeOf(last.takenAt)}`;
    if (status !== undefined && !['COMPLETED', 'RUNNING'].includes(status))
      return fail(name, `${ran}: ${status.toLowerCase()}`, `see the workflow ${workflowId} in Temporal's UI`);
    return ok(name, `${ran}, next ${timeOf(next)}`);
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
    return fail(name, `${id} does not exist`, 'start a worker, which creates it');
  }
}

/** Undefined for a run that Temporal keeps no more. */
async function statusOf(client: Client, workflowId: string, runId: string): Promise<string | undefined> {
  const described = await within(client, () => client.workflow.getHandle(workflowId, runId).describe()).catch(
    () => undefined,
  );
  return described?.status.name;
}

async function lastReport(
  database: Database,
  ledgerKeys: readonly Buffer[] | undefined,
  nowMs: number,
): Promise<Finding> {
  const name = 'last audit';
  const last = await lastWholeAudit(database, ledgerKeys);
  if (!last) return ok(name, 'none yet');
  const ended = timeOf(last.finishedAt);
  if (!last.isAsWritten)
    return fail(
      name,
      `${ended}: its row, or a newer one, does not match its seal`,
      "run 'npx tollgate audit', and find out who writes to the database",
    );
  if (!last.agrees)
    return fail(
      name,
      `${ended}: ${counted(last.findingCount, 'discrepancy')}`,
      "run 'npx tollgate audit' to list them",
    );
  if (nowMs - last.finishedAt.getTime() > auditAgeMsMax)
    return warn(
      name,
      `${ended}: no discrepancies, but that was long ago`,
      "run 'npx tollgate audit', and check the audit schedule",
    );
  return ok(name, `${ended}: no discrepancies`);
}

async function pollersOf(
  client: Client,
  { queue, type, now }: { queue: string; type: QueueType; now: () => number },
): Promise<Pollers> {
  const { namespace } = client.options;
  const request = { namespace, taskQueue: { name: queue }, taskQueueType: queueTypes[type] };
  // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- the enum is in a package of the SDK's gatewayQueues
  const { pollers } = await within(client, () => client.workflowService.describeTaskQueue(request));
  const times = pollers.flatMap(({ lastAccessTime }) => (lastAccessTime ? [tsToMs(lastAccessTime)] : []));
  const recent = times.filter((at) => now() - at <= polledMsMax);
  return { count: recent.length, agoMs: times.length === 0 ? undefined : now() - Math.max(...times) };
}

const worse = (a: Pollers, b: Pollers): Pollers => ((a.agoMs ?? Infinity) >= (b.agoMs ?? Infinity) ? a : b);

/** The providers for which a worker has queues. */
function namesOfTaskProviders({ providers }: Configuration): string[] {
  const kinds = new Set(providerKinds.filter(({ tasks }) => tasks !== undefined).map(({ kind }) => kind));
  return [...providers.values()].filter(({ kind }) => kinds.has(kind)).map(({ name }) => name);
}

const timeOf = (time: Date | undefined): string =>
  time === undefined ? 'never' : `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

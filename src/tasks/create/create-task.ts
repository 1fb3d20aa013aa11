/** From a parsed request to an accepted task: one transaction holds its price and writes its row, then it is started. */
import type { Model } from '../../domain/catalogue.ts';
import type { TaskId } from '../../domain/ids.ts';
import { agreedPrice, holdOf, type TaskFacts } from '../../domain/billing/pricing.ts';
import { lengthsOf } from '../../domain/billing/result-length.ts';
import type { StoredRequest, Uploads } from '../../domain/tasks/stored-request.ts';
import { hasPriority } from '../../domain/tasks/fairness.ts';
import type { TaskKind } from '../../domain/tasks/task-states.ts';
import { termsJson, termsOf, type TaskTerms } from '../../domain/tasks/terms.ts';
import { isKeyOfTask } from '../rows/idempotency-keys.ts';
import type { ApiKey } from '../../accounts/api-keys.ts';
import type { LineToSend } from '../../ledger/commit/line-rows.ts';
import type { TaskAdmission, TaskAdmitted, Units } from '../../ledger/ledger.ts';
import { newTaskId } from '../../postgres/new-ids.ts';
import { markStarted } from '../rows/task-rows.ts';
import { type ApiContext, keyOf, type RequestIds } from '../../api/context.ts';
import type { ApiDependencies } from '../../api/dependencies.ts';
import { fingerprintOf, idempotencyKeyOf } from '../../api/idempotency-key.ts';
import { refuseLate } from '../../api/server/draining.ts';
import { priceVersionOf } from '../../api/price-version.ts';
import { showRate } from '../../api/middleware/authenticated.ts';
import { admitTask } from './admit-task.ts';
import { type WaitingSlot, tooManyWaiting } from '../wait/unstarted-tasks.ts';

/** The database is asked whether a task is there for at least so long, even if its caller has gone: its slot depends on it. */
const doubtSecondsMin = 10;

export interface WantedTask {
  model: Model;
  stored: StoredRequest;
  facts: TaskFacts;
  uploads?: Uploads;
  /** What the Idempotency-Key binds: equal values are the same request. */
  fingerprint: unknown;
}

/** What a creation came to. */
export interface CreatedTask {
  taskId: TaskId;
  kind: TaskKind;
  model: string;
  /** False where an Idempotency-Key of before named it. */
  isNew: boolean;
  /**
   * Only while it is in doubt whether the task is there: the task, once that is certain; undefined when the time for it is up.
   * Rejects where nothing was made.
   */
  certain?: Promise<CreatedTask | undefined>;
}

/** What admitting a task takes. */
export type CreateTools = Pick<
  ApiDependencies,
  'configuration' | 'database' | 'ledger' | 'waitingTasks' | 'background' | 'tracing' | 'log'
> & { starter: Pick<ApiDependencies['starter'], 'start'> };

/** Who a task is made for: a request, or a line of a batch. */
export interface TaskOrder {
  key: ApiKey;
  requestId: string;
  traceId?: string | undefined;
  idempotencyKey: string | undefined;
  /** The line of a batch that it is. */
  line?: LineToSend;
  /** Called with what was admitted, before a refusal is thrown. */
  onAdmitted?: (admitted: TaskAdmitted) => void;
}

/**
 * Admits the task of a request and has it started: see `placeTask`. In doubt the database is asked on for as long as the
 * call may wait, and for ten seconds at least.
 */
export async function createTask(
  deps: ApiDependencies,
  ctx: ApiContext,
  wanted: WantedTask,
  waitSeconds: number,
): Promise<CreatedTask> {
  refuseLate(ctx);
  ctx.state.model = wanted.model.id;
  const { requestId, traceId } = ctx.state;
  const order: TaskOrder = {
    ...{ key: keyOf(ctx), requestId, traceId, idempotencyKey: idempotencyKeyOf(ctx) },
    onAdmitted: (admitted) => {
      showRate(ctx, admitted.rate);
      if (admitted.admitted !== 'no') ctx.state.taskId = admitted.taskId;
    },
  };
  const created = await placeTask(deps, order, wanted, waitSeconds);
  ctx.state.taskId = created.taskId;
  return created;
}

/**
 * Admits a task and has it started, or refuses with a code of the error table and changes nothing. With an
 * idempotency key that is bound to the same request it answers the task of that key. In doubt the database is asked on for
 * `waitSeconds`, and for ten seconds at least.
 */
export async function placeTask(
  deps: CreateTools,
  order: TaskOrder,
  wanted: WantedTask,
  waitSeconds: number,
): Promise<CreatedTask> {
  const { model, stored, facts } = wanted;
  const { key, requestId, traceId, idempotencyKey, line } = order;
  const quote = holdOf(model, facts);
  const traceparent = deps.tracing?.traceparent();
  const terms = { ...taskTerms(deps, model, facts), ...(traceparent !== undefined && { traceparent }) };
  const id = newTaskId(stored.kind);
  const slot = await deps.waitingTasks.take();
  if (!slot && !(await isBound(deps, key, idempotencyKey))) throw tooManyWaiting();
  const admission: TaskAdmission = {
    account: key.accountId,
    request: {
      needs: 'standard',
      model: model.id,
      maintenance: model.maintenance,
      hold: quote.amount,
      currency: deps.configuration.currency,
      isTask: true,
    },
    task: {
      id,
      kind: stored.kind,
      keyId: key.id,
      requestId,
      model: model.id,
      request: stored.request,
      uploads: wanted.uploads,
      terms: termsJson(terms),
    },
    units: {
      thousandths: thousandths(quote.units),
      unit: quote.unit,
      unitPrice: quote.unitPrice,
      priceVersion: terms.priceVersion,
      ...(quote.reason && { reason: quote.reason }),
    },
    ...(idempotencyKey !== undefined && {
      idempotency: {
        key: idempotencyKey,
        bodyHash: fingerprintOf({ kind: stored.kind, fingerprint: wanted.fingerprint }),
      },
    }),
    ...(line && { line }),
  };
  const accept = (admitted: TaskAdmitted): CreatedTask => {
    order.onAdmitted?.(admitted);
    if (admitted.admitted === 'no') throw admitted.refusal;
    const { taskId } = admitted;
    if (admitted.admitted === 'new' && !admitted.queued) {
      // The answer doesn't wait for the start: the task is safe, and the workers' scan starts what this one can't.
      const { underWay } = admitted;
      const start = {
        id,
        kind: stored.kind,
        accountId: key.accountId,
        keyId: key.id,
        model: model.id,
        terms,
        underWay,
      };
      deps.background(startTask(deps, { requestId, taskId, traceId }, start, slot));
    }
    return { taskId, kind: stored.kind, model: model.id, isNew: admitted.admitted === 'new' };
  };
  const admitted = await admitTask(deps, slot, admission, Math.max(waitSeconds, doubtSecondsMin) * 1000);
  if (admitted.admitted !== 'in doubt') return accept(admitted);
  const { taskId, isNew } = admitted;
  const certain = admitted.certain.then((known) => known && accept(known));
  certain.catch(() => undefined); // its caller may have left, and then there is no answer to give
  return { taskId, kind: stored.kind, model: model.id, isNew, certain };
}

/**
 * To be called before a body is read. Refuses with `overloaded` where as many tasks wait to be started as may; but not
 * what an Idempotency-Key of before may answer.
 */
export async function requireRoom(deps: ApiDependencies, ctx: ApiContext): Promise<void> {
  if ((await deps.waitingTasks.isFull()) && !(await isBound(deps, keyOf(ctx), idempotencyKeyOf(ctx))))
    throw tooManyWaiting();
}

async function isBound(
  { database }: Pick<ApiDependencies, 'database'>,
  { accountId }: ApiKey,
  idempotencyKey: string | undefined,
): Promise<boolean> {
  return idempotencyKey !== undefined && isKeyOfTask(database, accountId, idempotencyKey);
}

async function startTask(
  deps: CreateTools,
  ids: RequestIds,
  task: Parameters<ApiDependencies['starter']['start']>[0],
  slot: WaitingSlot | undefined,
): Promise<void> {
  try {
    const order = { hasPriority: hasPriority(task.underWay ?? 0) };
    if (!(await deps.waitingTasks.start(() => deps.starter.start(task), order))) return;
    await markStarted(deps.database, [task.id]);
    slot?.leave();
  } catch (error) {
    deps.log.warn({ err: error, ...ids }, 'a task could not be started at once; the workers will');
  }
}

function taskTerms({ configuration }: CreateTools, model: Model, facts: TaskFacts): TaskTerms {
  const { price } = model;
  return termsOf(
    model,
    (one) => agreedPrice(one, facts),
    priceVersionOf(price),
    lengthsOf(model, facts),
    configuration.providers,
  );
}

const thousandths = (units: number): Units['thousandths'] => BigInt(Math.round(units * 1000));

/** The ledger as its users see it: each method one operation, durable when it returns. */
import {
  type AdmissionRequest,
  correctedCounters,
  decideAdmission,
  isFull,
  rateState,
  refusalOfKey,
  type RateState,
} from '../domain/billing/admission.ts';
import { GatewayError } from '../domain/errors.ts';
import type { AccountId, KeyId, TaskId, TransferId } from '../domain/ids.ts';
import * as rules from '../domain/billing/postings.ts';
import { type Money, micros } from '../domain/money.ts';
import { type FinalTaskState, isFinal, type StoredFile } from '../domain/tasks/task-states.ts';
import type { Actor } from './audit-log.ts';
import type { TaskError } from '../tasks/rows/task-rows.ts';
import { newEventId, newTransferId } from '../postgres/new-ids.ts';
import { type CommitOptions, isOutcomeUnknown, type GroupCommitter } from './commit/group-commit.ts';
import { type EntryOrigin, type EntrySale, originOn, thousandthsText, unusedOf } from './commit/entry-sale.ts';
import {
  type Effects,
  type EntrySubject,
  type LedgerOperation,
  type NewEvent,
  type OperationRows,
  type NewTask,
} from './commit/ledger-operation.ts';
import type { LineToSend } from './commit/line-rows.ts';
import type { LockedAccount, LockedTask } from './commit/locked-rows.ts';

export interface TaskAdmission {
  account: AccountId;
  request: AdmissionRequest;
  task: Omit<NewTask, 'transferId' | 'holdAmount' | 'uploads'> & { uploads?: unknown };
  units: Units;
  idempotency?: { key: string; bodyHash: Buffer };
  /** The line of a batch that it is. */
  line?: LineToSend;
}

/** What an entry says of its amount: how many of what, at which price. */
export interface Units {
  /** In thousandths: an image is 1000, a second as many as it has milliseconds. */
  thousandths: bigint;
  unit: 'image' | 'second';
  unitPrice: Money;
  priceVersion: string;
  /** Why it is another amount all the same. */
  reason?: 'minimum charge';
}

export type TaskAdmitted =
  /** `underWay`: how many unfinished tasks its key has with it; `queued`: it is not to be started yet. */
  | { admitted: 'new'; taskId: TaskId; rate?: RateState | undefined; underWay: number; queued: boolean }
  | { admitted: 'before'; taskId: TaskId; rate?: RateState | undefined }
  | { admitted: 'no'; refusal: GatewayError; rate?: RateState | undefined };

export interface TaskEnd {
  account: AccountId;
  key: KeyId;
  task: TaskId;
}

export interface TaskSuccess extends TaskEnd {
  price: Money;
  /** The most that may be charged, if there is a bound. */
  most?: Money | undefined;
  units: Units;
  model: string;
  requestId: string;
  durationMs: number | null;
  files: readonly StoredFile[];
  origin?: EntryOrigin;
}

export interface TaskFailure extends TaskEnd {
  state: 'failed' | 'cancelled';
  error: TaskError;
  model: string;
  requestId: string;
  /** Of an operator who ended it: what is logged if this call is the one that does. */
  act?: { actor: Actor; reason?: string };
}

/** `ended` says whether this call was the one that ended the task; `state` is what the task is now. */
export interface TaskEnded {
  ended: boolean;
  state: FinalTaskState;
  /** What was charged; only of the call that ended the task. */
  cost?: Money;
  /** The event that notifies a webhook of this end; only of the call that ended the task. */
  eventId?: string;
  /** The key has as many unfinished tasks as may run, or more: some may be queued, and one of them can start. */
  mayDequeue: boolean;
}

/** Money that an operator gives an account or takes from it. */
export interface Booking {
  account: AccountId;
  type: 'credit' | 'adjustment';
  /** Of an adjustment, signed. */
  amount: Money;
  reason: string;
  actor: Actor;
  request?: string;
}

/**
 * What became of a booking: booked by this call, or by one `before` it with the same request; `otherwise`: the request was
 * used for another booking; `not`: it would have taken more than is available.
 */
export interface Booked {
  booked: 'now' | 'before' | 'otherwise' | 'not';
  /** The account's available balance now. */
  available: Money;
}

export class Ledger {
  readonly #groups: GroupCommitter;

  constructor(groups: GroupCommitter) {
    this.#groups = groups;
  }

  /**
   * Admits a task: counts the call, holds its price and writes its row, or refuses with a code of the error table and
   * changes nothing. A bound idempotency key answers with the task that it bound.
   */
  admitTask(admission: TaskAdmission, wishes: CommitOptions<TaskAdmitted> = {}): Promise<TaskAdmitted> {
    const transferId = newTransferId();
    const { account, task, idempotency } = admission;
    const move: LedgerOperation<TaskAdmitted> = {
      account,
      key: task.keyId,
      ...(idempotency && { idempotencyKey: idempotency.key }),
      decide: (rows) => decideTask(admission, transferId, rows),
    };
    return this.#groups.commit(move, wishes);
  }

  /** Ends a task in success: captures its price and releases the rest. Harmless when it is final already. */
  settleTask(success: TaskSuccess): Promise<TaskEnded> {
    return this.#endTask(success, ({ account }, task) => {
      const { movements, charged, isWanting, reason } = rules.settlement({
        held: micros(task.holdAmount),
        price: success.price,
        available: account.available,
        most: success.most,
      });
      const subject = subjectOf(success, task);
      const sale = saleOf(success.units);
      const after = movements.reduce<bigint>((sum, { legs }) => sum + legs.available, account.available);
      return {
        charged,
        entries: movements.map(({ type, legs }) =>
          type === 'release'
            ? { type, legs, subject, sale: unusedOf(task.sale, sale) }
            : {
                ...{ type, legs, subject, sale },
                ...originOn(type, success.origin),
                ...(type === 'capture' ? reasonOf(success.units) : reason && { reason }),
              },
        ),
        inArrears: account.inArrears || isWanting,
        closedHold: { transferId: task.transferId, state: 'captured' },
        endedTask: {
          id: task.id,
          state: 'succeeded',
          cost: charged,
          durationMs: success.durationMs,
          files: success.files,
          balanceAfter: micros(after),
        },
      };
    });
  }

  /** Ends a task without success and gives its hold back. Harmless when it is final already. */
  releaseTask(failure: TaskFailure): Promise<TaskEnded> {
    return this.#endTask(failure, ({ account }, task) => ({
      charged: micros(0n),
      entries: [
        {
          ...rules.release(micros(task.holdAmount)),
          subject: subjectOf(failure, task),
          sale: task.sale,
          reason: failure.error.code,
        },
      ],
      closedHold: { transferId: task.transferId, state: 'released' },
      endedTask: {
        id: task.id,
        state: failure.state,
        error: failure.error,
        balanceAfter: micros(account.available + task.holdAmount),
      },
      ...(failure.act && {
        act: {
          ...failure.act,
          action: 'task.cancelled',
          account: failure.account,
          subject: null,
          details: { task_id: failure.task },
        },
      }),
    }));
  }

  /** Adds money to an account and ends its arrears; returns the available balance after it. */
  async credit(account: AccountId, amount: Money, reason: string, actor: Actor = 'tollgate'): Promise<Money> {
    return (await this.book({ account, type: 'credit', amount, reason, actor })).available;
  }

  /**
   * Corrects an account by a signed amount, as an entry of its own. More is never taken than is available: then it answers
   * false and the balance, and nothing was changed. A correction in the customer's favour ends arrears as a credit does.
   */
  async adjust(
    account: AccountId,
    amount: Money,
    reason: string,
    actor: Actor = 'tollgate',
  ): Promise<{ adjusted: boolean; available: Money }> {
    const { booked, available } = await this.book({ account, type: 'adjustment', amount, reason, actor });
    return { adjusted: booked === 'now', available };
  }

  /**
   * Credits or adjusts an account. With a `request`, the caller's own id, it is booked once however often it is asked
   * for, at once or years later: its act is looked for under the account's lock. Refuses with `outcome_unknown` where it
   * may have been booked.
   */
  async book(booking: Booking): Promise<Booked> {
    try {
      return await this.#book(booking);
    } catch (error) {
      throw isOutcomeUnknown(error) ? bookingInDoubt(booking, error) : error;
    }
  }

  #book({ account, type, amount, reason, actor, request }: Booking): Promise<Booked> {
    const transferId = newTransferId();
    const isCredit = type === 'credit';
    const action = isCredit ? 'account.credited' : 'account.adjusted';
    const details = { transfer_id: transferId, amount: amount.toString(), ...(request !== undefined && { request }) };
    return this.#groups.commit<Booked>({
      account,
      isAct: true,
      ...(request !== undefined && { request }),
      decide: ({ account: row, booked: before }) => {
        if (before) {
          const isSame = before.action === action && before.amount === details.amount && before.reason === reason;
          return { outcome: { booked: isSame ? 'before' : 'otherwise', available: row.available } };
        }
        const available = micros(row.available + amount);
        if (available < 0n) return { outcome: { booked: 'not', available: row.available } };
        const movement = isCredit ? rules.credit(amount) : rules.adjustment(amount);
        return {
          outcome: { booked: 'now', available },
          entries: [{ ...movement, subject: { transferId }, reason }],
          inArrears: row.inArrears && amount <= 0n,
          act: { actor, action, account, subject: null, details, reason },
        };
      },
    });
  }

  #endTask(
    end: TaskEnd & { act?: unknown },
    decideEnd: (rows: OperationRows, task: LockedTask) => Omit<Effects<never>, 'outcome'> & { charged: Money },
  ) {
    const eventId = newEventId();
    return this.#groups.commit<TaskEnded>({
      account: end.account,
      key: end.key,
      task: end.task,
      isAct: end.act !== undefined,
      decide(rows) {
        const { account, task, key } = rows;
        if (!task || !key) throw new Error(`no task ${end.task}`);
        if (isFinal(task.state)) return { outcome: { ended: false, state: task.state, mayDequeue: isFull(key) } };
        const { charged, ...decision } = decideEnd(rows, task);
        const counters = correctedCounters(key.counters, {
          seq: task.holdSeq,
          admittedAt: task.createdAt,
          held: micros(task.holdAmount),
          charged,
          isTask: true,
        });
        const state = decision.endedTask?.state;
        if (!state) throw new Error('a task ends in a state');
        const newEvent = eventOf(eventId, account, task, state);
        const mayDequeue = isFull({ ...key, counters });
        const outcome = { ended: true, state, cost: charged, ...(newEvent && { eventId }), mayDequeue };
        return { ...decision, counters, outcome, ...(newEvent && { newEvent }) };
      },
    });
  }
}

function bookingInDoubt({ account, request }: Booking, cause: GatewayError): GatewayError {
  const text =
    'The connection to the database was lost before it confirmed this booking, which may or may not have been made.';
  const wayOut =
    request === undefined
      ? `Check the ledger of ${account} before you book it again.`
      : `Retry with the same request id, ${request}: it is booked only once.`;
  return new GatewayError('outcome_unknown', `${text} ${wayOut}`, { cause });
}

function decideTask(admission: TaskAdmission, transferId: TransferId, rows: OperationRows): Effects<TaskAdmitted> {
  const { request, task, idempotency, units, line } = admission;
  const { account, key, bound, now } = rows;
  if (!key) throw new Error(`no key ${task.keyId}`);
  // A key that was revoked a moment ago learns nothing of what it bound, either.
  const refusal = refusalOfKey(request, account, key, now);
  if (refusal) return { outcome: { admitted: 'no', refusal, rate: rateState(key, now) } };
  if (bound && idempotency) {
    const outcome = answerOfBound(bound, idempotency);
    const isLine = line && outcome.admitted === 'before';
    return {
      outcome,
      ...(isLine && { sentLine: { ...line, requestId: task.requestId, taskId: outcome.taskId } }),
    };
  }
  const decision = decideAdmission(request, account, key, now);
  if (!decision.admitted) {
    const { refusal, counters } = decision;
    return { outcome: { admitted: 'no', refusal, rate: rateState(key, now) }, ...(counters && { counters }) };
  }
  const hold = request.hold;
  const subject = { transferId, keyId: task.keyId, taskId: task.id, requestId: task.requestId, model: task.model };
  return {
    outcome: {
      ...{ admitted: 'new', taskId: task.id, underWay: decision.counters.runningTasks, queued: decision.queued },
      rate: rateState({ ...key, counters: decision.counters }, now),
    },
    counters: decision.counters,
    entries: [{ ...rules.hold(hold), subject, sale: saleOf(units), ...reasonOf(units) }],
    newHold: { transferId, keyId: task.keyId, subject: task.id, amount: hold },
    newTask: { ...task, uploads: task.uploads ?? null, transferId, holdAmount: hold, queued: decision.queued },
    ...(idempotency && { boundKey: { ...idempotency, taskId: task.id } }),
    ...(line && { sentLine: { ...line, transferId, requestId: task.requestId, taskId: task.id } }),
  };
}

function answerOfBound(bound: NonNullable<OperationRows['bound']>, asked: { bodyHash: Buffer }): TaskAdmitted {
  if (bound.taskId === null || !bound.bodyHash.equals(asked.bodyHash)) {
    const text = 'This Idempotency-Key was used with another request in the last 24 hours. Use a new key.';
    return { admitted: 'no', refusal: new GatewayError('idempotency_key_reused', text) };
  }
  return { admitted: 'before', taskId: bound.taskId };
}

/** Notifies the webhook that the request named, else the account's; none where there is neither. */
function eventOf(id: string, account: LockedAccount, task: LockedTask, state: FinalTaskState): NewEvent | undefined {
  const url = task.webhookUrl ?? account.webhookUrl;
  if (url === null) return undefined;
  const end = state === 'succeeded' ? 'succeeded' : 'failed';
  return { id, account: account.id, url, type: `${task.kind}.${end}`, taskId: task.id };
}

const subjectOf = (end: { model: string; requestId: string }, task: LockedTask): EntrySubject => ({
  transferId: task.transferId,
  keyId: task.keyId,
  taskId: task.id,
  requestId: end.requestId,
  model: end.model,
});

const saleOf = ({ thousandths, unit, unitPrice, priceVersion }: Units): EntrySale => ({
  units: thousandthsText(thousandths),
  unit,
  unitPrice,
  priceVersion,
});

const reasonOf = ({ reason }: Units) => reason && { reason };

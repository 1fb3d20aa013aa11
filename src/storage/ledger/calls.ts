/** The money of chat calls: held before anything is delivered, captured on what was used, or released. */
import {
  type AdmissionRequest,
  correctedCounters,
  decideAdmission,
  rateState,
  type RateState,
} from '../../domain/admission.ts';
import { GatewayError } from '../../domain/errors.ts';
import type { AccountId, KeyId, TransferId } from '../../domain/ids.ts';
import * as rules from '../../domain/ledger.ts';
import { type MicroYuan, micros } from '../../domain/money.ts';
import type { TokenLine } from '../../domain/pricing.ts';
import { newTransferId } from '../new-ids.ts';
import { sqlState } from '../database.ts';
import type { LedgerGroups } from './group.ts';
import type { MoveRows } from './move.ts';

export interface CallAdmission {
  account: AccountId;
  key: KeyId;
  requestId: string;
  model: string;
  request: AdmissionRequest;
  /** The process that answers for the hold. */
  owner: string;
  idempotency?: { key: string; bodyHash: Buffer };
}

/** A hold of money for a call under way. */
export interface CallHold {
  account: AccountId;
  key: KeyId;
  transferId: TransferId;
  amount: MicroYuan;
  admittedAt: Date;
  requestId: string;
  model: string;
  /** An idempotency key hangs on it. */
  isKeyed: boolean;
}

export type CallAdmitted =
  | { admitted: 'yes'; hold: CallHold; rate: RateState | undefined }
  /** The key is bound to the same request: its answer is stored there, or still comes. */
  | { admitted: 'before'; answer: string | null }
  | { admitted: 'no'; refusal: GatewayError; rate: RateState | undefined };

export interface CallPrice {
  total: MicroYuan;
  lines: readonly TokenLine[];
  usageSource: 'upstream' | 'estimated';
  priceVersion: string;
  /** The blob of the answer, or `streamed_answer`: what binds an idempotency key for good. Without it the key is freed. */
  answer?: string;
}

/** In place of a blob's name: the answer was a stream, and is not kept. */
export const streamed_answer = '';

/** A guard that fails divides by zero, so that the database rolls back. */
const guard_failed = '22012';

export class CallLedger {
  readonly #groups: LedgerGroups;

  constructor(groups: LedgerGroups) {
    this.#groups = groups;
  }

  /** Counts a call and holds the most that it can cost, or refuses with one of the contract's codes. */
  admit(admission: CallAdmission): Promise<CallAdmitted> {
    const transferId = newTransferId();
    const { account, key, idempotency } = admission;
    return this.#groups.commit<CallAdmitted>({
      account,
      key,
      ...(idempotency && { idempotencyKey: idempotency.key }),
      decide: (rows) => decideCall(admission, transferId, rows),
    });
  }

  /**
   * Captures what a call cost and releases the rest. A hold that was swept meanwhile is gone: then nothing is booked on
   * the customer, and the price is written off. Answers what was charged.
   */
  async settle(hold: CallHold, price: CallPrice): Promise<MicroYuan> {
    try {
      return await this.#capture(hold, price);
    } catch (error) {
      if (sqlState(error) !== guard_failed) throw error;
      await this.#writeOff(hold, price);
      return micros(0n);
    }
  }

  /** Gives a call's hold back; a hold that is closed already stays as it is. */
  async release(hold: CallHold, reason: string): Promise<void> {
    try {
      await this.#groups.commit<undefined>({
        account: hold.account,
        key: hold.key,
        decide: ({ key }) => ({
          outcome: undefined,
          entries: [{ ...rules.release(hold.amount), ...namesOf(hold), reason }],
          ...correction(hold, key, micros(0n)),
          closedHold: { transferId: hold.transferId, state: 'released' },
          ...(hold.isKeyed && { closedKey: { transferId: hold.transferId, answer: null } }),
        }),
      });
    } catch (error) {
      if (sqlState(error) !== guard_failed) throw error;
    }
  }

  #capture(hold: CallHold, price: CallPrice): Promise<MicroYuan> {
    return this.#groups.commit<MicroYuan>({
      account: hold.account,
      key: hold.key,
      decide: ({ account, key }) => {
        const { movements, charged } = rules.settlement({
          held: hold.amount,
          price: price.total,
          available: account.available,
        });
        const names = namesOf(hold);
        return {
          outcome: charged,
          entries: movements.map((movement) => ({
            ...movement,
            ...names,
            ...(movement.type === 'release' ? {} : factsOf(price)),
          })),
          inArrears: account.inArrears || charged < price.total,
          ...correction(hold, key, charged),
          closedHold: { transferId: hold.transferId, state: 'captured' },
          ...(hold.isKeyed && { closedKey: { transferId: hold.transferId, answer: price.answer ?? null } }),
        };
      },
    });
  }

  async #writeOff(hold: CallHold, price: CallPrice): Promise<void> {
    if (price.total === 0n) return;
    await this.#groups.commit<undefined>({
      account: hold.account,
      decide: () => ({
        outcome: undefined,
        entries: [{ ...rules.writeOff(price.total), ...namesOf(hold), ...factsOf(price), reason: 'owner_lost' }],
      }),
    });
  }
}

function decideCall(admission: CallAdmission, transferId: TransferId, { account, key, bound, now }: MoveRows) {
  const { request, idempotency, requestId, model, owner } = admission;
  if (!key) throw new Error(`no key ${admission.key}`);
  if (bound && idempotency) {
    const isSame = bound.taskId === null && bound.bodyHash.equals(idempotency.bodyHash);
    return { outcome: isSame ? ({ admitted: 'before', answer: bound.answer } as const) : reused(rateState(key, now)) };
  }
  const decision = decideAdmission(request, account, key, now);
  if (!decision.admitted) {
    return { outcome: { admitted: 'no', refusal: decision.refusal, rate: rateState(key, now) } as const };
  }
  const hold: CallHold = {
    account: admission.account,
    key: admission.key,
    transferId,
    amount: request.hold,
    admittedAt: now,
    requestId,
    model,
    isKeyed: idempotency !== undefined,
  };
  return {
    outcome: { admitted: 'yes', hold, rate: rateState({ ...key, counters: decision.counters }, now) } as const,
    counters: decision.counters,
    entries: [{ ...rules.hold(request.hold), ...namesOf(hold) }],
    newHold: { transferId, keyId: admission.key, subject: requestId, amount: request.hold, owner },
    ...(idempotency && { boundKey: { ...idempotency, transferId, owner } }),
  };
}

function reused(rate: RateState | undefined) {
  const text = 'This Idempotency-Key was used with another request in the last 24 hours. Use a new key.';
  return { admitted: 'no', refusal: new GatewayError('idempotency_key_reused', text), rate } as const;
}

function correction(hold: CallHold, key: MoveRows['key'], charged: MicroYuan) {
  if (!key) throw new Error(`no key ${hold.key}`);
  return {
    counters: correctedCounters(key.counters, {
      admittedAt: hold.admittedAt,
      held: hold.amount,
      charged,
      isTask: false,
    }),
  };
}

const namesOf = ({ transferId, key, requestId, model }: CallHold) => ({ transferId, keyId: key, requestId, model });

const factsOf = ({ lines, usageSource, priceVersion }: CallPrice) => ({
  unit: 'token' as const,
  units: `${lines.reduce((sum, { units }) => sum + units, 0)}.000`,
  lines: lines.map(({ unit, units, pricePerMillion, amount }) => ({
    unit,
    units,
    price_per_million: pricePerMillion.toString(),
    amount: amount.toString(),
  })),
  usageSource,
  priceVersion,
});

/** The money of chat calls: held before anything is delivered, captured on what was used, or released. */
import {
  type AdmissionRequest,
  correctedCounters,
  decideAdmission,
  isFarFromLimits,
  rateState,
  type RateState,
} from '../domain/billing/admission.ts';
import { GatewayError } from '../domain/errors.ts';
import type { AccountId, KeyId, TransferId } from '../domain/ids.ts';
import * as rules from '../domain/billing/postings.ts';
import { type Money, micros } from '../domain/money.ts';
import { mostOfHold } from '../domain/billing/overrun.ts';
import type { TokenCounts } from '../domain/billing/token-counts.ts';
import { type TokenLine, unitsSold } from '../domain/billing/token-lines.ts';
import { newTransferId } from '../postgres/new-ids.ts';
import { failedGuard, sqlState } from '../postgres/database.ts';
import { isOutcomeUnknown, type GroupCommitter } from './commit/group-commit.ts';
import { type EntryOrigin, type EntrySale, originOn, type UsageSource, unusedOf } from './commit/entry-sale.ts';
import type { LineOutcome, LineToSend } from './commit/line-rows.ts';
import type { EntrySubject, LedgerOperation, OperationRows } from './commit/ledger-operation.ts';

export interface CallAdmission {
  account: AccountId;
  key: KeyId;
  requestId: string;
  model: string;
  request: AdmissionRequest;
  /** How the hold is worked out, and by which price. */
  lines: readonly TokenLine[];
  priceVersion: string;
  /** How many times its hold the call may be charged; undefined: there is no bound. */
  overrunFactor: number | undefined;
  /** The process that answers for the hold. */
  owner: string;
  idempotency?: { key: string; bodyHash: Buffer };
  /** The line of a batch that is sent with it. */
  line?: LineToSend;
  /** It waits a little for others to be committed with, so that commits of those who can't wait come sooner. */
  isPatient?: boolean;
}

/** A hold of money for a call under way. */
export interface CallHold {
  account: AccountId;
  key: KeyId;
  transferId: TransferId;
  amount: Money;
  /** The number of its entry in the account's ledger. */
  seq: bigint;
  admittedAt: Date;
  requestId: string;
  model: string;
  /** What is held: so many tokens at these prices. */
  sale: EntrySale;
  /** How many times its amount may be charged; absent where it is only read to be released. */
  overrunFactor?: number | undefined;
  /** An idempotency key hangs on it. */
  isKeyed: boolean;
}

export type CallAdmitted =
  | { admitted: 'yes'; hold: CallHold; rate: RateState | undefined }
  /** The key is bound to the same request: its answer is stored there, or still comes. */
  | { admitted: 'before'; answer: string | null }
  | { admitted: 'no'; refusal: GatewayError; rate: RateState | undefined };

export interface CallPrice {
  total: Money;
  lines: readonly TokenLine[];
  usageSource: UsageSource;
  priceVersion: string;
  origin?: EntryOrigin;
  /** What it is the price of, where that is known. */
  counts?: TokenCounts;
  /** The blob of the answer, or `streamedAnswer`: what binds an idempotency key for good. Without it the key is freed. */
  answer?: string;
}

/** In place of a blob's name: the answer was a stream, and is not kept. */
export const streamedAnswer = '';

const lostMsMax = 3_600_000;
/** A transfer has one entry of a type. */
const entryIsThere = '23505';

export class CallLedger {
  readonly #groups: GroupCommitter;
  /** Admissions that were refused while it was in doubt whether they were committed, and since when. */
  readonly #lost = new Map<TransferId, number>();
  /** What is about to be held, by account. */
  readonly #holding = new Map<AccountId, bigint>();

  constructor(groups: GroupCommitter) {
    this.#groups = groups;
  }

  /**
   * Counts a call and holds the most that it can cost, or refuses with a code of the error table. Where it is in doubt
   * whether the hold is there, it is refused, since its caller can't wait, and the hold is given back (`lostAdmissions`).
   */
  async admit(admission: CallAdmission): Promise<CallAdmitted> {
    const transferId = newTransferId();
    const { account, key, idempotency, request } = admission;
    const move: LedgerOperation<CallAdmitted> = {
      account,
      key,
      ...(idempotency && { idempotencyKey: idempotency.key }),
      decide: (rows) => decideCall(admission, transferId, rows),
    };
    this.#holding.set(account, (this.#holding.get(account) ?? 0n) + request.hold);
    try {
      // A line can wait for certainty, while a caller can't.
      return await this.#groups.commit(
        move,
        admission.line ? { mayBatch: admission.isPatient === true } : { doubtMs: 0 },
      );
    } catch (error) {
      if (!isOutcomeUnknown(error)) throw error;
      this.#lost.set(transferId, performance.now());
      throw holdInDoubt(error);
    } finally {
      const left = (this.#holding.get(account) ?? 0n) - request.hold;
      if (left === 0n) this.#holding.delete(account);
      else this.#holding.set(account, left);
    }
  }

  /**
   * Of the last hour. A server that was frozen may still carry out a statement that it was sent before, so they are looked
   * at again and again.
   */
  lostAdmissions(): TransferId[] {
    const forgottenMs = performance.now() - lostMsMax;
    for (const [transferId, atMs] of this.#lost) if (atMs < forgottenMs) this.#lost.delete(transferId);
    return [...this.#lost.keys()];
  }

  /**
   * Whether it is practically impossible that this call is refused, so that its upstream may be asked while its hold is
   * still being committed: a commit of this process saw key and account good a quarter of a second ago at the most, and
   * far from every limit.
   */
  canStartBeforeCommit({ account: accountId, key: keyId, request, idempotency }: CallAdmission): boolean {
    const recent = idempotency ? undefined : this.#groups.recent(accountId, keyId);
    if (!recent) return false;
    const { account, key, now } = recent;
    const holding = micros((this.#holding.get(accountId) ?? 0n) + request.hold);
    return isFarFromLimits({ account, key, holding }, now) && decideAdmission(request, account, key, now).admitted;
  }

  /**
   * Captures what a call cost and releases the rest. A hold that was swept meanwhile is gone: then nothing is booked on
   * the customer, and the price is written off. Returns what was charged; waits for a database that is away. The line of a
   * batch ends with it, and stays as it is where the hold is gone.
   */
  async settle(hold: CallHold, price: CallPrice, line?: LineOutcome): Promise<Money> {
    try {
      return await this.#capture(hold, price, line);
    } catch (error) {
      if (failedGuard(error) !== 'hold_closed') throw error;
      await this.#writeOff(hold, price);
      return micros(0n);
    }
  }

  /**
   * Gives a call's hold back; a hold that is closed already stays as it is. It waits for a database that is away, but for
   * what is released again later anyway (`mustCommit: false`). The line of a batch ends with it.
   */
  async release(
    hold: CallHold,
    reason: string,
    { mustCommit = true, line }: { mustCommit?: boolean; line?: LineOutcome } = {},
  ): Promise<void> {
    const move: LedgerOperation<undefined> = {
      account: hold.account,
      key: hold.key,
      decide: ({ key }) => ({
        outcome: undefined,
        entries: [{ ...rules.release(hold.amount), subject: subjectOf(hold), sale: hold.sale, reason }],
        ...correction(hold, key, micros(0n)),
        closedHold: { transferId: hold.transferId, state: 'released' },
        ...(hold.isKeyed && { closedKey: { transferId: hold.transferId, answer: null } }),
        ...(line && { endedLine: { ...line, transferId: hold.transferId, cost: micros(0n) } }),
      }),
    };
    try {
      await this.#groups.commit(move, { mustCommit });
    } catch (error) {
      if (failedGuard(error) !== 'hold_closed') throw error;
    }
  }

  /** Resolves once everything of the account is booked that was settled or released before. */
  settled(account: AccountId): Promise<void> {
    return this.#groups.settled(account);
  }

  #capture(hold: CallHold, price: CallPrice, line: LineOutcome | undefined): Promise<Money> {
    const move: LedgerOperation<Money> = {
      account: hold.account,
      key: hold.key,
      decide: ({ account, key }) => {
        const { movements, charged, isWanting, reason } = rules.settlement({
          held: hold.amount,
          price: price.total,
          available: account.available,
          most: mostOf(hold, price.total),
        });
        const subject = subjectOf(hold);
        const sale = saleOf(price);
        return {
          outcome: charged,
          entries: movements.map(({ type, legs }) =>
            type === 'release'
              ? { type, legs, subject, sale: unusedOf(hold.sale, sale) }
              : {
                  ...{ type, legs, subject, sale },
                  ...originOn(type, price.origin),
                  ...(type === 'write_off' && reason && { reason }),
                },
          ),
          inArrears: account.inArrears || isWanting,
          ...correction(hold, key, charged),
          closedHold: { transferId: hold.transferId, state: 'captured' },
          ...(hold.isKeyed && { closedKey: { transferId: hold.transferId, answer: price.answer ?? null } }),
          ...(line && { endedLine: { ...line, transferId: hold.transferId, cost: charged } }),
        };
      },
    };
    // The caller has its answer; a request with the same key waits for this one.
    return this.#groups.commit(move, { mayBatch: !hold.isKeyed, mustCommit: true });
  }

  /** Once: what was written off before stays as it is. */
  async #writeOff(hold: CallHold, price: CallPrice): Promise<void> {
    if (price.total === 0n) return;
    try {
      const writeOff = {
        ...rules.writeOff(price.total),
        subject: subjectOf(hold),
        sale: saleOf(price),
        ...(price.origin && { origin: price.origin }),
      };
      await this.#groups.commit<undefined>(
        {
          account: hold.account,
          decide: () => ({ outcome: undefined, entries: [{ ...writeOff, reason: 'owner_lost' }] }),
        },
        { mustCommit: true },
      );
    } catch (error) {
      if (sqlState(error) !== entryIsThere) throw error;
    }
  }
}

/** Whatever becomes of the hold: the call is given up, costs nothing, and may be sent again. */
const holdInDoubt = (cause: GatewayError): GatewayError =>
  new GatewayError(
    'not_ready',
    'The connection to the database was lost while this call was being admitted. The call was cancelled and costs nothing; its hold, if any, is released. Try again.',
    { retryAfterSeconds: 5, cause },
  );

function decideCall(admission: CallAdmission, transferId: TransferId, { account, key, bound, now }: OperationRows) {
  const { request, idempotency, requestId, model, owner, line } = admission;
  if (!key) throw new Error(`no key ${admission.key}`);
  if (bound && idempotency) {
    const isSame = bound.taskId === null && bound.bodyHash.equals(idempotency.bodyHash);
    return { outcome: isSame ? ({ admitted: 'before', answer: bound.answer } as const) : reused(rateState(key, now)) };
  }
  const decision = decideAdmission(request, account, key, now);
  if (!decision.admitted) {
    const { refusal, counters } = decision;
    return { outcome: { admitted: 'no', refusal, rate: rateState(key, now) } as const, ...(counters && { counters }) };
  }
  const hold: CallHold = {
    account: admission.account,
    key: admission.key,
    transferId,
    amount: request.hold,
    seq: account.seq + 1n,
    admittedAt: now,
    requestId,
    model,
    sale: saleOf({ lines: admission.lines, priceVersion: admission.priceVersion }),
    overrunFactor: admission.overrunFactor,
    isKeyed: idempotency !== undefined,
  };
  return {
    outcome: { admitted: 'yes', hold, rate: rateState({ ...key, counters: decision.counters }, now) } as const,
    counters: decision.counters,
    entries: [{ ...rules.hold(request.hold), subject: subjectOf(hold), sale: hold.sale }],
    newHold: { transferId, keyId: admission.key, subject: requestId, amount: request.hold, owner },
    ...(idempotency && { boundKey: { ...idempotency, transferId, owner } }),
    ...(line && { sentLine: { ...line, transferId, requestId } }),
  };
}

function reused(rate: RateState | undefined) {
  const text = 'This Idempotency-Key was used with another request in the last 24 hours. Use a new key.';
  return { admitted: 'no', refusal: new GatewayError('idempotency_key_reused', text), rate } as const;
}

function correction(hold: CallHold, key: OperationRows['key'], charged: Money) {
  if (!key) throw new Error(`no key ${hold.key}`);
  return {
    counters: correctedCounters(key.counters, {
      seq: hold.seq,
      admittedAt: hold.admittedAt,
      held: hold.amount,
      charged,
      isTask: false,
    }),
  };
}

/** Nearly all calls stay within their holds, and need no bound. */
const mostOf = ({ amount, overrunFactor }: CallHold, price: Money): Money | undefined =>
  overrunFactor === undefined || price <= amount ? undefined : mostOfHold(amount, overrunFactor);

const subjectOf = ({ transferId, key, requestId, model }: CallHold): EntrySubject => ({
  transferId,
  keyId: key,
  requestId,
  model,
});

const saleOf = ({
  lines,
  usageSource,
  priceVersion,
}: Pick<CallPrice, 'lines' | 'priceVersion'> & Partial<Pick<CallPrice, 'usageSource'>>): EntrySale => {
  const { unit, units } = unitsSold(lines);
  return { unit, units: `${units}.000`, lines: linesJson(lines), ...(usageSource && { usageSource }), priceVersion };
};

/** As canonical JSON: the names in their order. Names of tools are of the settings, and need no escaping. */
const linesJson = (lines: readonly TokenLine[]): string =>
  `[${lines
    .map(
      ({ unit, name, units, pricePerMillion, amount }) =>
        `{"amount":"${amount}",${name === undefined ? '' : `"name":"${name}",`}"price_per_million":"${pricePerMillion}","unit":"${unit}","units":${units}}`,
    )
    .join(',')}]`;

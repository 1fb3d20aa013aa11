/**
 * One account, worked out again from its entries in their order: its chain and balances, whether it is in arrears, and the
 * counters of its keys. In the end all of it must be what the account's head says.
 */
import { implausibleUsage } from '../../domain/billing/overrun.ts';
import type { CheckContext } from '../check-context.ts';
import { type ChainEntry, ChainReader } from './chain-reader.ts';
import type { Head } from './account-heads.ts';
import { KeyTally, type TalliedHold } from './key-tally.ts';

export interface ReplayedEntry extends ChainEntry {
  transfer: string;
  type: string;
  key: string | null;
  createdMs: number;
  revenue: bigint;
  reason: string | null;
}

export class AccountReplay {
  readonly #context: Pick<CheckContext, 'found' | 'ledgerKeys' | 'since'>;
  readonly #head: Head;
  readonly #chain: ChainReader;
  readonly #tallies = new Map<string, KeyTally>();
  /** As many as are open at once. */
  readonly #open = new Map<string, { tally: KeyTally; hold: TalliedHold }>();
  /** Undefined: as before the entries that are read. */
  #isInArrears: boolean | undefined;

  constructor(context: Pick<CheckContext, 'found' | 'ledgerKeys' | 'since'>, head: Head) {
    this.#context = context;
    this.#head = head;
    this.#chain = new ChainReader(context, head.account);
    this.#chain.accountIs(head.state);
    if (head.start) this.#chain.startAt(head.start);
    if (!context.since) this.#isInArrears = false;
  }

  add(entry: ReplayedEntry): void {
    this.#chain.add(entry);
    this.#count(entry);
    this.#isInArrears = arrearsAfter(entry) ?? this.#isInArrears;
  }

  end(): void {
    this.#chain.end();
    const { account, inArrears, saysOfLow, keys } = this.#head;
    const { found } = this.#context;
    if (this.#isInArrears !== undefined && this.#isInArrears !== inArrears)
      found(
        account,
        inArrears
          ? 'it is said to be in arrears, and by its entries it is not'
          : 'by its entries it is in arrears, and it is not said to be',
      );
    if (saysOfLow !== '') found(account, saysOfLow);
    for (const key of keys) {
      const says = (this.#tallies.get(key.id) ?? this.#tallyOf(key.id)).differences(key);
      if (says.length > 0) found(key.id, says.join('; '));
      this.#tallies.delete(key.id);
    }
    for (const key of this.#tallies.keys()) found(key, `there is no such key of ${account}, and its entries name it`);
  }

  #tallyOf(id: string): KeyTally {
    const key = this.#head.keys.find((each) => each.id === id);
    return new KeyTally(key?.since ?? [], this.#context.since?.getTime());
  }

  #count({ seq, type, transfer, key, createdMs, deltaHeld, revenue }: ReplayedEntry): void {
    if (type === 'hold' && key !== null) {
      let tally = this.#tallies.get(key);
      if (!tally) this.#tallies.set(key, (tally = this.#tallyOf(key)));
      this.#open.set(transfer, { tally, hold: tally.hold(BigInt(seq), createdMs, BigInt(deltaHeld)) });
    } else if (type === 'capture' || type === 'release') {
      const open = this.#open.get(transfer);
      // A release that follows its capture gives back what is left of the hold, and was settled with it.
      open?.tally.settle(open.hold, type === 'capture' ? revenue : 0n);
      this.#open.delete(transfer);
    }
  }
}

const operatorsLosses = [implausibleUsage, 'owner_lost'];

/**
 * A write-off for want of money brings arrears, one that is the operator's loss doesn't (a process was lost, an upstream
 * claimed what can't be); a credit or a correction in the customer's favour ends them.
 */
function arrearsAfter({ type, reason, deltaAvailable }: ReplayedEntry): boolean | undefined {
  if (type === 'write_off') return operatorsLosses.includes(reason ?? '') ? undefined : true;
  if (type === 'credit' || (type === 'adjustment' && BigInt(deltaAvailable) > 0n)) return false;
  return undefined;
}

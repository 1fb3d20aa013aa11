/** One account's chain as it is read, entry after entry: what doesn't follow from the entry before is reported. */
import { accountGenesis } from '../../accounts/accounts.ts';
import { chainLink } from '../../ledger/chain.ts';
import { groupMembersMax } from '../../ledger/commit/group-commit.ts';
import type { CheckContext } from '../check-context.ts';

/** What an account's row says of its entries, or what an entry leaves. Amounts as digits. */
export interface ChainState {
  seq: number;
  available: string;
  held: string;
  link: Buffer | null;
}

export interface ChainEntry extends ChainState {
  /** What the chain signs. */
  text: string;
  deltaAvailable: string;
  deltaHeld: string;
}

/** What is said to be there, and what should be: what comes next follows on one of them. */
interface Balance {
  after: bigint;
  right: bigint;
}

/** A move makes three entries at the most. */
const groupEntriesMax = groupMembersMax * 3;
/** Of a group that doesn't fit its link, any entry may be the one. */
const namedEntriesMax = 24;
/** Of links that the one to come may follow on, after one that was wrong. */
const candidatesMax = 16;

export class ChainReader {
  readonly account: string;
  readonly #context: Pick<CheckContext, 'found' | 'ledgerKeys'>;
  #row: ChainState | undefined;
  #seq = 0;
  #available: Balance = { after: 0n, right: 0n };
  #held: Balance = { after: 0n, right: 0n };
  /** What the next link may follow on: one, but for the start (a genesis for each key) and after a wrong link. */
  #previous: Buffer[];
  /** Entries since the last link. */
  #group: ChainEntry[] = [];
  /** An entry of the group is missing or there twice, which was reported. */
  #isGroupSpoilt = false;
  #lastKey: Buffer | undefined;

  constructor(context: Pick<CheckContext, 'found' | 'ledgerKeys'>, account: string) {
    this.account = account;
    this.#context = context;
    this.#previous = context.ledgerKeys.map((key) => accountGenesis(key, account));
  }

  /** What the account's own row says. */
  accountIs(row: ChainState): void {
    this.#row = row;
  }

  /** Begins at a link that is trusted. */
  startAt({ seq, available, held, link }: ChainState): void {
    this.#seq = seq;
    this.#available = { after: BigInt(available), right: BigInt(available) };
    this.#held = { after: BigInt(held), right: BigInt(held) };
    if (link) this.#previous = [link];
  }

  add(entry: ChainEntry): void {
    if (!this.#row) {
      if (this.#seq === 0) this.#report(`there is no such account, but ${nameOf(entry)} is an entry of it`);
      this.#seq = entry.seq;
      return;
    }
    this.#follow(entry);
    this.#group.push(entry);
    if (entry.link) this.#link(entry.link);
    else if (this.#group.length > groupEntriesMax) {
      this.#report(`entries ${this.#groupText()} have no link, and no commit writes that many`);
      this.#group = [];
      this.#isGroupSpoilt = true;
    }
  }

  /** Compares where the entries end with the account's row. */
  end(): void {
    if (this.#group.length > 0 && !this.#isGroupSpoilt) this.#report(`no link follows on ${this.#groupText()}`);
    if (!this.#row) return;
    const { seq, available, held, link } = this.#row;
    const wrong: string[] = [];
    if (seq > this.#seq)
      wrong.push(`${missingText(this.#seq + 1, seq)} missing at its end, where its row counts ${seq}`);
    if (seq < this.#seq) wrong.push(`its row counts ${seq} entries, the last of them is number ${this.#seq}`);
    for (const [what, says, { after, right }] of [
      ['available', BigInt(available), this.#available],
      ['held', BigInt(held), this.#held],
    ] as const) {
      if (says !== after && says !== right)
        wrong.push(`its row says ${says} micro-units ${what}, its entries ${after}`);
    }
    if (!link || !this.#previous.some((head) => head.equals(link))) {
      wrong.push(
        this.#seq === 0
          ? `the head of its chain is not where a chain begins`
          : `the head of its chain is not its last link`,
      );
    }
    if (wrong.length > 0) this.#report(wrong.join('; '));
  }

  #follow(entry: ChainEntry): void {
    const isNext = entry.seq === this.#seq + 1;
    if (entry.seq <= this.#seq) {
      const other = this.#group.at(-1);
      const says = `is number ${entry.seq} of ${this.account}, though number ${this.#seq} comes before it`;
      this.#context.found(nameOf(entry), other?.seq === entry.seq ? `${says}: ${nameOf(other)}` : says);
    } else if (!isNext) {
      this.#report(`${missingText(this.#seq + 1, entry.seq - 1)} missing before ${nameOf(entry)}`);
    }
    if (!isNext) this.#isGroupSpoilt = true;
    const follow = (what: string, before: Balance, after: string, delta: string) =>
      this.#followBalance(entry, what, isNext ? before : undefined, BigInt(after), BigInt(delta));
    this.#available = follow('available', this.#available, entry.available, entry.deltaAvailable);
    this.#held = follow('held', this.#held, entry.held, entry.deltaHeld);
    this.#seq = entry.seq;
  }

  #followBalance(entry: ChainEntry, what: string, before: Balance | undefined, after: bigint, delta: bigint): Balance {
    if (after < 0n) this.#context.found(nameOf(entry), `leaves ${after} micro-units ${what}, which is below zero`);
    if (!before || after === before.after + delta || after === before.right + delta) return { after, right: after };
    const right = before.after + delta;
    const says = `${after} micro-units are ${what} after it; ${before.after} before it and ${delta} are ${right}`;
    this.#context.found(nameOf(entry), `says that ${says}`);
    return { after, right };
  }

  #link(link: Buffer): void {
    const texts = this.#group.map(({ text }) => text);
    if (!this.#follows(link, texts)) {
      if (!this.#isGroupSpoilt) {
        const only = this.#group.length === 1 ? this.#group[0] : undefined;
        if (only) this.#context.found(nameOf(only), `what it says, or its link, was changed: they don't agree`);
        else this.#report(`what entries ${this.#groupText()} say, or their link, was changed: they don't agree`);
      }
      // What comes next follows on the link that is there, or, if it is the link that was changed, on the right one.
      const right = this.#previous.flatMap((previous) =>
        this.#context.ledgerKeys.map((key) => chainLink(key, previous, texts)),
      );
      this.#previous = [link, ...right].slice(0, candidatesMax);
    } else this.#previous = [link];
    this.#group = [];
    this.#isGroupSpoilt = false;
  }

  /** A secret may have been replaced between any two links. */
  #follows(link: Buffer, texts: readonly string[]): boolean {
    const keys = this.#lastKey ? [this.#lastKey, ...this.#context.ledgerKeys] : this.#context.ledgerKeys;
    this.#lastKey = keys.find((key) => this.#previous.some((head) => chainLink(key, head, texts).equals(link)));
    return this.#lastKey !== undefined;
  }

  #report(says: string): void {
    this.#context.found(this.account, says);
  }

  #groupText(): string {
    const [first, last] = [this.#group[0], this.#group.at(-1)];
    if (!first || !last) return '';
    const names =
      this.#group.length > namedEntriesMax ? `${nameOf(first)} to ${nameOf(last)}` : this.#group.map(nameOf).join(', ');
    return first === last ? `number ${first.seq} (${names})` : `number ${first.seq} to ${last.seq} (${names})`;
  }
}

const missingText = (from: number, to: number) => (from === to ? `entry ${to} is` : `entries ${from} to ${to} are`);

/** `<transfer>.<type>`, as the canonical text begins. */
function nameOf({ text }: ChainEntry): string {
  const [, transfer = '', type = ''] = /^\["([^"]*)","([^"]*)"/.exec(text) ?? [];
  return `${transfer}.${type}`;
}

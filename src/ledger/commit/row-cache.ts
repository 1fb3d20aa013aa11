/**
 * Accounts and keys as this process's last commits left them. A group that finds all its rows here needs not lock and
 * read them first: the statement that writes proves, by the rows' versions, that they have not changed since, and
 * writes nothing if they have.
 */
import type { LockedAccount, LockedKey, View, Wanted } from './locked-rows.ts';
import type { Written } from './group-writes.ts';

const rowsMax = 10_000;
/** Older than this, the database's clock is asked again. */
const clockMsMax = 5_000;
/** After rows have turned out changed, others are at work on them: it is better to lock first for a while. */
const contendedMs = 200;

/** How long after a commit something is begun in the trust that its rows have not changed; who revokes waits as long. */
export const trustedMsMax = 250;

interface Known<Row> {
  row: Row;
  committedAtMs: number;
}

export interface RecentRows {
  account: LockedAccount;
  key: LockedKey;
  now: Date;
}

export class RowCache {
  readonly #accounts = new Map<string, Known<LockedAccount>>();
  readonly #keys = new Map<string, Known<LockedKey>>();
  #clock: { at: number; heardAtMs: number } | undefined;
  #contendedUntilMs = -Infinity;
  readonly #trustedMs: number;

  constructor(trustedMs: number) {
    this.#trustedMs = trustedMs;
  }

  /** The rows that a group wants, with the database's clock as it goes on from its last answer; or nothing, if any is missing. */
  view({ accounts, keys, tasks, idempotencyKeys, withActs }: Wanted): View | undefined {
    if (tasks.length > 0 || idempotencyKeys.length > 0 || withActs) return undefined;
    if (performance.now() < this.#contendedUntilMs) return undefined;
    const now = this.#now();
    if (!now) return undefined;
    const view: View = {
      now,
      accounts: new Map(),
      keys: new Map(),
      tasks: new Map(),
      idempotencyKeys: new Map(),
      requests: new Map(),
    };
    for (const id of accounts) {
      const account = this.#accounts.get(id);
      if (!account) return undefined;
      view.accounts.set(id, account.row);
    }
    for (const id of keys) {
      const key = this.#keys.get(id);
      if (!key) return undefined;
      view.keys.set(id, key.row);
    }
    return view;
  }

  /** An account and its key as a commit of just now left them; a group in flight may have gone on from there. */
  recent(accountId: string, keyId: string): RecentRows | undefined {
    const account = this.#accounts.get(accountId);
    const key = this.#keys.get(keyId);
    const now = this.#now();
    if (!account || !key || !now) return undefined;
    const sinceMs = performance.now() - Math.min(account.committedAtMs, key.committedAtMs);
    return sinceMs < this.#trustedMs ? { account: account.row, key: key.row, now } : undefined;
  }

  /** Takes over what a group has just written: every row of its view. */
  learn({ accounts, keys }: View, written: Written): void {
    if (this.#accounts.size + this.#keys.size > rowsMax) this.forget();
    const committedAtMs = performance.now();
    this.#clock = { at: written.now.getTime(), heardAtMs: committedAtMs };
    for (const account of accounts.values()) {
      account.version = written.version;
      this.#accounts.set(account.id, { row: account, committedAtMs });
    }
    for (const key of keys.values()) {
      key.version = written.version;
      this.#keys.set(key.id, { row: key, committedAtMs });
    }
  }

  #now(): Date | undefined {
    const clock = this.#clock;
    if (!clock) return undefined;
    const sinceMs = performance.now() - clock.heardAtMs;
    return sinceMs > clockMsMax ? undefined : new Date(Math.floor(clock.at + sinceMs));
  }

  /** Others have changed rows that were known. */
  contended(): void {
    this.forget();
    this.#contendedUntilMs = performance.now() + contendedMs;
  }

  /** The outcome of a commit is unknown, and so are its rows. */
  forget(): void {
    this.#accounts.clear();
    this.#keys.clear();
  }
}

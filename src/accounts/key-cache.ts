/**
 * API keys on the hot path: looked up by their keyed hash and remembered for three seconds from the start of the query, so
 * that a revoked key stops working everywhere within five. Billable calls are checked again on the locked row.
 */
import { hash } from 'node:crypto';
import type { KeyId } from '../domain/ids.ts';
import { type ApiKey, findKeyBySecret, noteKeyUse } from './api-keys.ts';
import type { Database } from '../postgres/database.ts';

const goodMs = 3_000;
const unknownMs = 1_000;
const entriesMax = 10_000;
const useNotedEveryMs = 60_000;

interface Entry {
  key: Promise<ApiKey | undefined>;
  until: number;
}

export class KeyCache {
  readonly #database: Database;
  readonly #ledgerKeys: readonly Buffer[];
  readonly #onError: (error: unknown) => void;
  readonly #entries = new Map<string, Entry>();
  readonly #noted = new Map<KeyId, number>();

  constructor(database: Database, ledgerKeys: readonly Buffer[], onError: (error: unknown) => void) {
    this.#database = database;
    this.#ledgerKeys = ledgerKeys;
    this.#onError = onError;
  }

  /**
   * The key of this secret, as it was at most three seconds ago. With `exactCounts` a key with call limits is looked up
   * each time, so that what it has called by then, over any process, is in its counts.
   */
  async find(secret: string, { exactCounts = false } = {}): Promise<ApiKey | undefined> {
    const name = hash('sha256', secret, 'base64');
    const now = performance.now();
    const known = this.#entries.get(name);
    if (known && known.until > now) {
      if (!exactCounts) return known.key;
      const key = await known.key;
      if (!key || key.callLimits.length === 0) return key;
    }
    const entry: Entry = {
      key: findKeyBySecret(this.#database, this.#ledgerKeys, secret),
      until: now + goodMs,
    };
    this.#remember(name, entry);
    try {
      const key = await entry.key;
      if (key) this.#noteUse(key.id, now);
      else entry.until = now + unknownMs;
      return key;
    } catch (error) {
      this.#entries.delete(name);
      throw error;
    }
  }

  /** The oldest entry makes room: a flood of made-up keys costs no memory. */
  #remember(name: string, entry: Entry): void {
    this.#entries.delete(name);
    const oldest = this.#entries.keys().next();
    if (this.#entries.size >= entriesMax && !oldest.done) this.#entries.delete(oldest.value);
    this.#entries.set(name, entry);
  }

  #noteUse(id: KeyId, now: number): void {
    if ((this.#noted.get(id) ?? -Infinity) + useNotedEveryMs > now) return;
    if (this.#noted.size >= entriesMax) this.#noted.clear();
    this.#noted.set(id, now);
    noteKeyUse(this.#database, [id]).catch(this.#onError);
  }
}

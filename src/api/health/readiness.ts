/** Whether this process can do its work: asked of the database, the blob store and Temporal. */
import { within } from '../../domain/within.ts';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { Database } from '../../postgres/database.ts';

const checkMsMax = 3_000;
const keptMs = 1_000;

export type Ready =
  | { ready: true }
  /** Chat works and tasks are accepted; they run when Temporal is back. */
  | { ready: true; degraded: string }
  | { ready: false; reason: string };

/** Whether each part answers. */
export type Parts = Readonly<Record<'database' | 'blobs' | 'temporal', boolean>>;

interface Checked {
  parts: Parts;
  ready: Ready;
}

export interface ReadinessTools {
  database: Database;
  blobs: BlobStore;
  /** Resolves when Temporal answers. */
  checkTemporal: () => Promise<void>;
  /** Without Temporal this process can do nothing, as a worker. */
  needsTemporal?: boolean;
  /** Aborts when the process is asked to stop, some time before it takes no more connections. */
  leaving: AbortSignal;
  /** Whether everything that comes before the first request is done, such as making the first key. */
  isPrepared: () => boolean;
}

export class Readiness {
  readonly #tools: ReadinessTools;
  #wasWhole = false;
  #last: { atMs: number; checked: Promise<Checked> } | undefined;

  constructor(tools: ReadinessTools) {
    this.#tools = tools;
  }

  /** The state now, at most a second old. Not ready until everything has answered once. */
  async now(): Promise<Ready> {
    if (this.#tools.leaving.aborted) return { ready: false, reason: 'shutting down' };
    if (!this.#tools.isPrepared()) return { ready: false, reason: 'starting' };
    return (await this.#checked()).ready;
  }

  /** Which parts answer, at most a second old. */
  async parts(): Promise<Parts> {
    return (await this.#checked()).parts;
  }

  #checked(): Promise<Checked> {
    const atMs = Date.now();
    if (!this.#last || this.#last.atMs + keptMs < atMs) this.#last = { atMs, checked: this.#check() };
    return this.#last.checked;
  }

  async #check(): Promise<Checked> {
    const { database, blobs, checkTemporal } = this.#tools;
    const [db, store, temporal] = await Promise.all([
      faultOf('database', async () => {
        await database.pool.query('select 1');
      }),
      faultOf('blob store', () => blobs.check()),
      faultOf('temporal', checkTemporal),
    ]);
    const essential = db ?? store ?? (this.#tools.needsTemporal === true ? temporal : undefined);
    const parts = { database: db === undefined, blobs: store === undefined, temporal: temporal === undefined };
    return { parts, ready: this.#judged(essential, temporal) };
  }

  #judged(essential: string | undefined, temporal: string | undefined): Ready {
    if (essential !== undefined) return { ready: false, reason: essential };
    if (temporal === undefined) {
      this.#wasWhole = true;
      return { ready: true };
    }
    return this.#wasWhole ? { ready: true, degraded: temporal } : { ready: false, reason: temporal };
  }
}

/** What is wrong with a part, if anything is; no more than its name and the kind of fault. */
async function faultOf(part: string, check: () => Promise<void>): Promise<string | undefined> {
  try {
    return await within(
      checkMsMax,
      check().then(() => undefined),
      () => `${part}: no answer`,
    );
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    return `${part}: ${code ?? 'unavailable'}`;
  }
}

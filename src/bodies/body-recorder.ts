/** Bodies on their way to the blob store: held in memory for a moment, within a bound, and written beside the calls. */
import { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { AccountId } from '../domain/ids.ts';
import type { BodyRules } from '../domain/requests/body-recording.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Database } from '../postgres/database.ts';
import { newBodyId } from '../postgres/new-ids.ts';
import { BodyTap, type TappedBytes } from './body-tap.ts';
import { type BodyText, keptText } from './redact-text.ts';
import { type BodyKeys, sealBodies } from './seal-body.ts';
import { bodyKeyOf, type BodyRow, deleteBodyRows, insertBodyRows } from './stored-bodies.ts';

export interface BodyRecorderOptions {
  database: Database;
  blobs: Pick<BlobStore, 'write'>;
  keys: BodyKeys;
  /** What the operator allows now. */
  settings: () => BodySettings;
  log: Logger;
  /** Called with how many requests' bodies were given up, and why. */
  onLost: (count: number, reason: 'full' | 'failed') => void;
  /** Of what waits. */
  waitingBytesMax?: number;
}

export interface BodySettings {
  allowed: boolean;
  /** Of a request's body, and of an answer's. */
  bytesMax: number;
}

export interface TappedRequest {
  accountId: AccountId;
  requestId: string;
  createdAt: Date;
  tap: BodyTap;
}

/** Some hundred of the largest, or what comes within seconds of a store that is slow. */
const waitingBytesMaxDefault = 64 * 1024 * 1024;
/** Each is a file or an object of its own. */
const writesAtOnce = 16;
/** A name, a tag, and JSON around texts that gzip could not make smaller. */
const sealedBytesMax = 64 * 1024 * 1024;
const dayMs = 86_400_000;

/**
 * Takes what taps have gathered and writes it soon. No call ever waits for its bodies: what comes while 64 MiB wait is
 * given up and counted, and so is what database or store refuse.
 */
export class BodyRecorder {
  readonly #options: BodyRecorderOptions;
  #waiting: TappedRequest[] = [];
  #waitingBytes = 0;
  /** How many were ever taken, and how many of them are written or given up. */
  #added = 0;
  #over = 0;
  #watchers: { added: number; resolve: () => void }[] = [];
  #isFailing = false;
  #isWriting = false;

  constructor(options: BodyRecorderOptions) {
    this.#options = options;
  }

  /** What gathers the bodies of one request; undefined where the operator allows no recording. */
  tap(rules: BodyRules): BodyTap | undefined {
    const { allowed, bytesMax } = this.#options.settings();
    return allowed ? new BodyTap(rules, bytesMax) : undefined;
  }

  /** Takes what was gathered; it is written later. */
  add(request: TappedRequest): void {
    const bytes = bytesOf(request);
    if (this.#waitingBytes + bytes > (this.#options.waitingBytesMax ?? waitingBytesMaxDefault)) {
      this.#options.onLost(1, 'full');
      return;
    }
    this.#waiting.push(request);
    this.#added++;
    this.#waitingBytes += bytes;
    if (!this.#isWriting) void this.#writeAll();
  }

  /** Resolves once what was added before is written or given up, whatever comes meanwhile. Never rejects. */
  written(): Promise<void> {
    if (this.#over === this.#added) return Promise.resolve();
    return new Promise((resolve) => this.#watchers.push({ added: this.#added, resolve }));
  }

  /** Never rejects. */
  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    await new Promise(setImmediate); // behind the answer, and whatever else came with it
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, writesAtOnce);
      await this.#writeGroup(group).catch((error: unknown) => this.#fail(error, group.length));
      for (const request of group) this.#waitingBytes -= bytesOf(request);
      this.#over += group.length;
      for (const { added, resolve } of this.#watchers) if (added <= this.#over) resolve();
      this.#watchers = this.#watchers.filter(({ added }) => added > this.#over);
    }
    this.#isWriting = false; // in the turn that found nothing waiting, so that what is added next begins anew
  }

  /** Rows first: a process that dies in between leaves no blob that nothing names. */
  async #writeGroup(group: readonly TappedRequest[]): Promise<void> {
    const { database } = this.#options;
    const made = group.map((request) => ({ request, row: rowOf(request) }));
    await insertBodyRows(
      database,
      made.map(({ row }) => row),
    );
    const results = await Promise.allSettled(made.map(({ request, row }) => this.#writeBlob(request, row)));
    const failed = made.filter((_, at) => results[at]?.status === 'rejected').map(({ row }) => row);
    if (failed.length === 0) {
      this.#isFailing = false;
      return;
    }
    this.#fail(results.find((result) => result.status === 'rejected')?.reason, failed.length);
    await deleteBodyRows(database, failed).catch(() => undefined); // reads find no blob, and say so
  }

  async #writeBlob({ tap, accountId, requestId }: TappedRequest, row: BodyRow): Promise<void> {
    const { blobs, keys } = this.#options;
    const request = textOf(tap, tap.request);
    await new Promise(setImmediate); // others get their turn between two long texts
    const bodies = { request, answer: textOf(tap, tap.answer) };
    const sealed = await sealBodies(keys, { account: accountId, requestId, id: row.id }, bodies);
    await blobs.write(bodyKeyOf(row), Readable.from([sealed]), { bytesMax: sealedBytesMax });
  }

  #fail(error: unknown, count: number): void {
    if (!this.#isFailing)
      this.#options.log.warn({ err: error }, 'recorded bodies could not be written; they are given up');
    this.#isFailing = true;
    this.#options.onLost(count, 'failed');
  }
}

function textOf({ bytesMax, rules }: BodyTap, body: TappedBytes | undefined): BodyText | null {
  if (!body) return null;
  const fields = new Set(rules.redactedFields.map((name) => name.toLowerCase()));
  return keptText(body.bytes, { bytes: body.length, kind: body.kind, bytesMax, fields });
}

const rowOf = ({ accountId, requestId, createdAt, tap }: TappedRequest): BodyRow => ({
  ...{ id: newBodyId(), accountId, requestId, createdAt },
  expiresAt: new Date(createdAt.getTime() + tap.rules.retentionDays * dayMs),
});

const bytesOf = ({ tap }: TappedRequest): number =>
  (tap.request?.bytes.length ?? 0) + (tap.answer?.bytes.length ?? 0) + 1_000;

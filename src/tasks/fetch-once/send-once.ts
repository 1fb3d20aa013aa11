/**
 * Sending a result once. It counts as fetched when its caller has ended the connection in good order after the last byte
 * (`delivery.ts`); whatever else becomes of the connection leaves it there, to be fetched again.
 */
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError } from '../../domain/errors.ts';
import { amountText, zero } from '../../domain/money.ts';
import { tokensOfSeconds } from '../../domain/billing/pricing.ts';
import type { StoredFile } from '../../domain/tasks/task-states.ts';
import { claimRenewalMs, claimFetch, dropFetch, isRemoved, removeMedia, renewFetch } from '../rows/fetch-claims.ts';
import type { Task } from '../rows/task-rows.ts';
import { type ApiContext, idsOf } from '../../api/context.ts';
import type { ApiDependencies } from '../../api/dependencies.ts';
import { keepPace } from '../../api/download-pace.ts';
import { acquireUntilClosed } from '../../api/concurrency-limits.ts';
import { taskNotFound } from '../wait/find-task.ts';
import { deliveryOf } from './delivery.ts';

/** A caller that asks again meanwhile waits for a verdict this long; most come within a second. */
const verdictMsMax = 5_000;
const looksMax = 5;
const lookMs = 10;
const turnLookMs = 50;

/** This process's downloads whose verdict is still to come, by task. */
const running = new Map<string, { isSent: () => boolean; over: Promise<unknown> }>();

/** Answers a succeeded avatar-talk task with its video, and removes the task once that was fetched. */
export async function sendOnce(deps: ApiDependencies, ctx: ApiContext, task: Task): Promise<void> {
  const [file] = task.files ?? [];
  if (!file || task.removedAt) throw taskNotFound();
  if (ctx.method === 'HEAD') {
    if (running.has(task.id) && (await isFetchedNow(deps, task))) throw taskNotFound();
    showFile(ctx, task, file);
    return;
  }
  await turnOf(ctx);
  acquireUntilClosed(deps.concurrencyLimits.files, ctx.res);
  const owner = await claimed(deps, task);
  const { promise: over, resolve: end } = openEnd();
  const download = { isSent: sentCheck(ctx.res, file.bytes), over };
  running.set(task.id, download);
  const ended = () => {
    if (running.get(task.id) === download) running.delete(task.id); // given back, the task may be in another one by now
    end();
  };
  let source: Readable;
  try {
    // By its length, the end is known with the last byte: a caller that counts could ask again before it was looked for.
    source = await deps.blobs.read(file.blobKey, { start: 0, end: file.bytes });
  } catch (error) {
    await dropFetch(deps.database, task.id, owner).finally(ended);
    throw error;
  }
  showFile(ctx, task, file);
  ctx.set('Connection', 'close'); // its end shows that everything has arrived
  ctx.respond = false; // the bytes and their verdict are ours from here on
  ctx.state.headAt = performance.now();
  deps.background(afterDelivery(deps, ctx, { task, file, owner }).finally(ended));
  await pipeline(source, ctx.res).catch(() => undefined); // a broken download is a verdict, not an error
}

/** Keeps the claim until it is known whether the caller got everything, then removes the task or gives it back. */
async function afterDelivery(
  deps: ApiDependencies,
  { req: { socket }, res, state }: ApiContext,
  { task, file, owner }: { task: Task; file: StoredFile; owner: string },
): Promise<void> {
  const { database, blobs, log, downloadPace } = deps;
  const renewal = setInterval(() => {
    renewFetch(database, task.id, owner).catch((error: unknown) =>
      log.warn({ err: error, ...idsOf({ state }), taskId: task.id }, 'a fetch claim was not renewed'),
    );
  }, claimRenewalMs);
  const stopWatching = keepPace(socket, downloadPace);
  const last = setTimeout(() => socket.destroy(), downloadPace.claimMs);
  try {
    if (await deliveryOf(res, file.bytes, downloadPace)) await removeMedia(database, blobs, task.id, owner);
    else await dropFetch(database, task.id, owner);
  } finally {
    clearInterval(renewal);
    clearTimeout(last);
    stopWatching();
  }
}

/**
 * Requests that were sent ahead are answered one after the other (RFC 9112, section 9.3.2): until an answer has its turn,
 * it has no socket, and with the claim it would hold up the one before it.
 */
async function turnOf({ req, res }: ApiContext): Promise<void> {
  while (res.socket === null && !req.socket.destroyed) await sleep(turnLookMs);
}

/** The claim on the task; a download that has sent everything is waited for, one that still sends is a conflict. */
async function claimed(deps: ApiDependencies, task: Task): Promise<string> {
  const owner = await claimFetch(deps.database, task.id, deps.fetchWindowMs);
  if (owner !== undefined) return owner;
  await verdictOn(task.id);
  const again = await claimFetch(deps.database, task.id, deps.fetchWindowMs);
  if (again !== undefined) return again;
  if (await isRemoved(deps.database, task.id)) throw taskNotFound();
  throw new GatewayError('task_being_fetched', 'Another request is downloading this result.', {
    retryAfterSeconds: 5,
  });
}

/** Whether a download that has sent everything turns out to have been the one. */
async function isFetchedNow(deps: ApiDependencies, task: Task): Promise<boolean> {
  await verdictOn(task.id);
  return isRemoved(deps.database, task.id);
}

/**
 * Returns a check whether everything was written. The last byte may have reached the caller long before the file's reader
 * reports its end, so the bytes are counted: the headers make the count exceed the file's length with the last block.
 */
function sentCheck(res: ServerResponse, bytes: number): () => boolean {
  const { socket } = res;
  const before = socket?.bytesWritten ?? 0;
  return () => res.writableEnded || (socket !== null && socket.bytesWritten - before > bytes);
}

/** Waits for the verdict of a download that has written everything. The caller may know that it has a moment earlier. */
async function verdictOn(task: string): Promise<void> {
  for (let looks = 0; looks < looksMax; looks++) {
    const other = running.get(task);
    if (other?.isSent()) {
      await Promise.race([other.over, sleep(verdictMsMax, undefined, { ref: false })]);
      return;
    }
    await sleep(lookMs);
  }
}

function openEnd(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

function showFile(ctx: ApiContext, task: Task, file: StoredFile): void {
  const durationMs = task.durationMs ?? 0;
  ctx.status = 200;
  ctx.set({
    'Content-Type': file.mediaType,
    'Content-Length': String(file.bytes),
    'X-Video-Duration': String(durationMs / 1000),
    'X-Tokens': String(tokensOfSeconds(durationMs)),
    'X-Cost': amountText(task.cost ?? zero),
    'Cache-Control': 'no-store',
  });
}

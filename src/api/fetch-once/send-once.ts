/**
 * Sending a result once. It counts as fetched when all its bytes were written and the connection then carried another
 * request, stayed free of errors for two seconds, or was ended by its caller and not reset for half a second. Node's
 * `finish` alone proves nothing, since bodies of up to 3 MB sat in the kernel's buffers when a client broke off, and
 * neither does an end: of 120 downloads of 50 kB that broke off in ten ways, 84 ended cleanly first (measured).
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError } from '../../domain/errors.ts';
import { yuanText, zero } from '../../domain/money.ts';
import { tokensOfSeconds } from '../../domain/pricing.ts';
import type { StoredFile } from '../../domain/tasks.ts';
import { claim_renewal_ms, claimFetch, dropFetch, isRemoved, removeMedia, renewFetch } from '../../storage/fetches.ts';
import type { Task } from '../../storage/tasks.ts';
import { type ApiContext, idsOf } from '../context.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { enterFor } from '../gates.ts';
import { taskNotFound } from '../tasks/find.ts';
import { heldOpen } from './held-open.ts';
import { nextRequestOn } from './next-request.ts';

const quiet_ms = 2_000;
/** The same for a connection that its caller has ended: a reset follows within a round trip. */
const ended_ms = 500;
const verdict_ms_max = quiet_ms + 3_000;
const looks_max = 5;
const look_ms = 10;
const turn_look_ms = 50;

/** This process's downloads whose verdict is still to come, by task. */
const running = new Map<string, { res: ServerResponse; socket: Socket; over: Promise<unknown> }>();

/** Answers a succeeded avatar-talk task with its video, and removes the task once that was fetched. */
export async function sendOnce(deps: ApiDependencies, ctx: ApiContext, task: Task): Promise<void> {
  const [file] = task.files ?? [];
  if (!file || task.removedAt) throw taskNotFound();
  if (ctx.method === 'HEAD') {
    if (running.has(task.id) && (await isFetchedNow(deps, ctx, task))) throw taskNotFound();
    showFile(ctx, task, file);
    return;
  }
  await turnOf(ctx);
  enterFor(deps.gates.files, ctx.res);
  const owner = await claimed(deps, ctx, task);
  const { promise: over, resolve: end } = openEnd();
  running.set(task.id, { res: ctx.res, socket: ctx.req.socket, over });
  const ended = () => {
    running.delete(task.id);
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
  ctx.respond = false; // the bytes and their verdict are ours from here on
  ctx.state.headAt = performance.now();
  deps.background(afterDelivery(deps, ctx, task, owner).finally(ended));
  await pipeline(source, ctx.res).catch(() => undefined); // a broken download is a verdict, not an error
}

/** Keeps the claim until it is known whether the caller got everything, then removes the task or gives it back. */
async function afterDelivery(deps: ApiDependencies, ctx: ApiContext, task: Task, owner: string): Promise<void> {
  const { database, blobs, log } = deps;
  const renewal = setInterval(() => {
    renewFetch(database, task.id, owner).catch((error: unknown) =>
      log.warn({ err: error, ...idsOf(ctx), taskId: task.id }, 'a fetch claim was not renewed'),
    );
  }, claim_renewal_ms);
  try {
    if (await deliveryOf(ctx.res)) await removeMedia(database, blobs, task.id, owner);
    else await dropFetch(database, task.id, owner);
  } finally {
    clearInterval(renewal);
  }
}

/**
 * Requests that were sent ahead are answered one after the other (RFC 9112, section 9.3.2): until an answer has its turn,
 * it has no socket, and with the claim it would hold up the one before it.
 */
async function turnOf({ req, res }: ApiContext): Promise<void> {
  while (res.socket === null && !req.socket.destroyed) await sleep(turn_look_ms);
}

/** The claim on the task; a download that has sent everything is waited for, one that still sends is a conflict. */
async function claimed(deps: ApiDependencies, ctx: ApiContext, task: Task): Promise<string> {
  const owner = await claimFetch(deps.database, task.id, deps.fetchWindowMs);
  if (owner !== undefined) return owner;
  await verdictOn(task.id, ctx);
  const again = await claimFetch(deps.database, task.id, deps.fetchWindowMs);
  if (again !== undefined) return again;
  if (await isRemoved(deps.database, task.id)) throw taskNotFound();
  throw new GatewayError('task_being_fetched', 'This result is being fetched by another request.', {
    retryAfterSeconds: 5,
  });
}

/** Whether a download that has sent everything turns out to have been the one. */
async function isFetchedNow(deps: ApiDependencies, ctx: ApiContext, task: Task): Promise<boolean> {
  await verdictOn(task.id, ctx);
  return isRemoved(deps.database, task.id);
}

/**
 * Waits for the verdict of a download that has written everything, or is on the same connection, where nothing can be
 * answered before its end anyway. That it has is known a moment later here than it may be to its caller.
 */
async function verdictOn(task: string, ctx: ApiContext): Promise<void> {
  for (let looks = 0; looks < looks_max; looks++) {
    const other = running.get(task);
    if (other && (other.res.writableEnded || other.socket === ctx.req.socket)) {
      await Promise.race([other.over, sleep(verdict_ms_max, undefined, { ref: false })]);
      return;
    }
    await sleep(look_ms);
  }
}

/** Resolves whether the caller got everything, once that can be told. Listens from before the first byte. */
function deliveryOf(res: ServerResponse): Promise<boolean> {
  const { socket } = res;
  return new Promise((resolve) => {
    if (!socket) {
      resolve(false);
      return;
    }
    const letGo = heldOpen(socket);
    let timer: NodeJS.Timeout | undefined;
    let written = false;
    const decide = (fetched: boolean) => {
      clearTimeout(timer);
      socket.off('error', broken).off('end', ended).off('close', broken);
      res.off('finish', finished);
      stopListening();
      letGo();
      resolve(fetched);
    };
    const broken = () => decide(false);
    // Whoever closes with bytes still on their way to it ends cleanly first, and resets when they arrive. What was
    // ended is no longer read, so only a write tells; one of no bytes is enough.
    const ended = () => {
      if (!written) decide(false);
      else wait(ended_ms, () => socket.write('', (error) => decide(!error)));
    };
    const finished = () => {
      written = true;
      wait(quiet_ms, () => decide(true));
    };
    const wait = (ms: number, then: () => void) => {
      clearTimeout(timer);
      timer = setTimeout(then, ms);
    };
    // One that comes before everything was written was sent ahead, and proves nothing.
    const stopListening = nextRequestOn(socket, () => {
      if (written) decide(true);
    });
    // Closed without a word is what this process does to it when it stops: nothing is known then, and nothing is lost.
    socket.once('error', broken).once('end', ended).once('close', broken);
    res.once('finish', finished);
  });
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
  ctx.remove('Connection'); // of a process that drains: an end that is our own would tell nothing of the caller
  ctx.set({
    'Content-Type': file.mediaType,
    'Content-Length': String(file.bytes),
    'X-Video-Duration': String(durationMs / 1000),
    'X-Tokens': String(tokensOfSeconds(durationMs)),
    'X-Cost': yuanText(task.cost ?? zero),
    'Cache-Control': 'no-store',
  });
}

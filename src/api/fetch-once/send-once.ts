/**
 * Sending a result once. It counts as fetched when all its bytes were written and the connection then ended cleanly,
 * carried another request, or stayed free of errors for two seconds: Node's `finish` alone proves nothing, since bodies
 * of up to 3 MB sat in the kernel's buffers when a client broke off (measured).
 */
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GatewayError } from '../../domain/errors.ts';
import { yuanText, zero } from '../../domain/money.ts';
import { tokensOfSeconds } from '../../domain/pricing.ts';
import type { StoredFile } from '../../domain/tasks.ts';
import { claim_renewal_ms, claimFetch, dropFetch, isRemoved, removeMedia, renewFetch } from '../../storage/fetches.ts';
import type { Task } from '../../storage/tasks.ts';
import type { ApiContext } from '../context.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { taskNotFound } from '../tasks/find.ts';
import { nextRequestOn } from './next-request.ts';

const quiet_ms = 2_000;

/** The verdicts of this process's running downloads, by task. */
const verdicts = new Map<string, { res: ServerResponse; verdict: Promise<unknown> }>();

/** Answers a succeeded avatar-talk task with its video, and removes the task once that was fetched. */
export async function sendOnce(deps: ApiDependencies, ctx: ApiContext, task: Task): Promise<void> {
  const [file] = task.files ?? [];
  if (!file || task.removedAt) throw taskNotFound();
  if (ctx.method === 'HEAD') {
    showFile(ctx, task, file);
    return;
  }
  const owner = await claimed(deps, task);
  let source: Readable;
  try {
    source = await deps.blobs.read(file.blobKey);
  } catch (error) {
    await dropFetch(deps.database, task.id, owner);
    throw error;
  }
  showFile(ctx, task, file);
  ctx.respond = false; // the bytes and their verdict are ours from here on
  deps.background(afterDelivery(deps, ctx.res, task, owner));
  await pipeline(source, ctx.res).catch(() => undefined); // a broken download is a verdict, not an error
}

/** Keeps the claim until it is known whether the caller got everything, then removes the task or gives it back. */
async function afterDelivery(deps: ApiDependencies, res: ServerResponse, task: Task, owner: string): Promise<void> {
  const { database, blobs, log } = deps;
  const renewal = setInterval(() => {
    renewFetch(database, task.id, owner).catch((error: unknown) =>
      log.warn({ err: error, taskId: task.id }, 'a fetch claim was not renewed'),
    );
  }, claim_renewal_ms);
  const verdict: Promise<unknown> = deliveryOf(res).then<unknown>((fetched) =>
    fetched ? removeMedia(database, blobs, task.id, owner) : dropFetch(database, task.id, owner),
  );
  verdicts.set(task.id, { res, verdict });
  try {
    await verdict;
  } finally {
    clearInterval(renewal);
    verdicts.delete(task.id);
  }
}

/** The claim on the task; a download that has sent everything is waited for, one that still sends is a conflict. */
async function claimed(deps: ApiDependencies, task: Task): Promise<string> {
  const owner = await claimFetch(deps.database, task.id, deps.fetchWindowMs);
  if (owner !== undefined) return owner;
  const running = verdicts.get(task.id);
  if (running?.res.writableFinished) await running.verdict;
  const again = await claimFetch(deps.database, task.id, deps.fetchWindowMs);
  if (again !== undefined) return again;
  if (await isRemoved(deps.database, task.id)) throw taskNotFound();
  throw new GatewayError('task_being_fetched', 'This result is being fetched by another request.', {
    retryAfterSeconds: 5,
  });
}

/** Resolves whether the caller got everything, once that can be told. Listens from before the first byte. */
function deliveryOf(res: ServerResponse): Promise<boolean> {
  const { socket } = res;
  return new Promise((resolve) => {
    if (!socket) {
      resolve(false);
      return;
    }
    let timer: NodeJS.Timeout | undefined;
    let written = false;
    const decide = (fetched: boolean) => {
      clearTimeout(timer);
      socket.off('error', broken).off('end', ended).off('close', closed);
      res.off('finish', finished);
      stopListening();
      resolve(fetched);
    };
    const broken = () => decide(false);
    const ended = () => decide(written);
    const closed = (hadError: boolean) => decide(written && !hadError);
    const finished = () => {
      written = true;
      timer = setTimeout(() => decide(true), quiet_ms);
    };
    const stopListening = nextRequestOn(socket, () => decide(written));
    socket.once('error', broken).once('end', ended).once('close', closed);
    res.once('finish', finished);
  });
}

function showFile(ctx: ApiContext, task: Task, file: StoredFile): void {
  const durationMs = task.durationMs ?? 0;
  ctx.status = 200;
  ctx.set({
    'Content-Type': file.mediaType,
    'Content-Length': String(file.bytes),
    'X-Video-Duration': String(durationMs / 1000),
    'X-Tokens': String(tokensOfSeconds(durationMs)),
    'X-Cost': yuanText(task.cost ?? zero),
    'Cache-Control': 'no-store',
  });
}

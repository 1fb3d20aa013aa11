/**
 * Stored results by signed link. The signature is the permission. They are sent from here, or, where callers can reach the
 * store, led there by a link of its own, which lives for minutes: callers and providers know no other addresses than ours,
 * and a file that is deleted or whose link has expired is so at once.
 */
import * as z from 'zod';
import { GatewayError } from '../../domain/errors.ts';
import { isFinal, type StoredFile } from '../../domain/tasks/task-states.ts';
import { type BlobLinks, BlobNotFound } from '../../blobs/blob-store.ts';
import { type FileLink, verifyLink } from '../../tasks/provider-calls/signed-links.ts';
import { findTask } from '../../tasks/rows/task-rows.ts';
import { retentionText } from '../../tasks/wait/find-task.ts';
import type { ApiContext } from '../context.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { enterDownload } from '../download-pace.ts';
import { exampleIds } from '../openapi/example-ids.ts';
import { headers } from '../openapi/headers.ts';
import { pathParameter, queryParameter, signatureParameters } from '../openapi/parameters.ts';
import type { JsonSchema } from '../openapi/schemas.ts';
import { operation, type Response } from '../public-operation.ts';

/** Of a link to the store, and of the answer that leads there, which is asked again well before its link is old. */
const storeLinkSeconds = 300;
const ledSeconds = 60;

const fileHeaders: Record<string, JsonSchema> = {
  ...headers('ETag'),
  'Accept-Ranges': { required: true, schema: { const: 'bytes' } },
  'Content-Disposition': { required: true, schema: { type: 'string' } },
};
const contentRange: Record<string, JsonSchema> = {
  'Content-Range': { required: true, schema: { type: 'string', pattern: '^bytes ' } },
};
const media = { 'image/*': {}, 'video/*': {}, 'audio/*': {} };

/** What a stored file of these types is answered with. */
export function fileResponses(content: Readonly<Record<string, JsonSchema>>): Readonly<Record<number, Response>> {
  return {
    200: { description: 'The file.', headers: fileHeaders, content },
    302: {
      description: 'It is in a store that callers can reach: `Location` is good for five minutes, for ranges, too.',
      headers: headers('Location', 'Cache-Control'),
    },
    206: { description: 'The range.', headers: { ...fileHeaders, ...contentRange }, content },
    416: { description: 'Range not satisfiable.', headers: contentRange },
  };
}

export const getFile = operation({
  method: 'get',
  path: '/files/{task}/{file}',
  id: 'getFile',
  tag: 'Service',
  summary: 'A stored result, by its signed link',
  description:
    'Links are in the records of tasks; the signature is the permission. One `Range` of bytes may be asked for.',
  parameters: [
    pathParameter('task', 'Task id.', exampleIds.image),
    pathParameter('file', 'Number of the result.', '0'),
    queryParameter('e', 'Until when the link is good, in Unix seconds.', '1767312000'),
    ...signatureParameters,
  ],
  answer: z.void(),
  responses: fileResponses(media),
  errors: ['route_not_found'],
  handle: async ({ ctx, deps, params }) => {
    await answerFile(
      deps,
      ctx,
      await linkedFile(deps, ctx, { taskId: params['task'] ?? '', file: params['file'] ?? '' }),
    );
  },
});

/** Answers with a stored file, or leads to the store that has it. */
export async function answerFile(deps: ApiDependencies, ctx: ApiContext, file: LinkedFile): Promise<void> {
  if (deps.blobs.links && ctx.method === 'GET') await leadTo(deps.blobs.links, ctx, file);
  else await sendFile(deps, ctx, file);
}

/** Answers with the file, or the range that is asked for; HEAD, with its headers. */
async function sendFile(deps: ApiDependencies, ctx: ApiContext, file: LinkedFile): Promise<void> {
  const range = rangeOf(ctx, file.bytes);
  // Before anything is answered. Once it is open, it is read to its end, deleted or not.
  const isRead = ctx.method !== 'HEAD' && range !== 'unsatisfiable';
  if (isRead) enterDownload(deps, ctx);
  const body = isRead ? await opened(deps, file, range) : undefined;
  ctx.set({
    ...headersOf(file),
    'Accept-Ranges': 'bytes',
    // Results are shown on other sites' pages; the signature, not the origin, is what lets them.
    'Cross-Origin-Resource-Policy': 'cross-origin',
    ETag: `"${file.sha256.slice(0, 32)}"`,
  });
  if (range === 'unsatisfiable') {
    ctx.status = 416;
    ctx.set('Content-Range', `bytes */${file.bytes}`);
    ctx.body = '';
    return;
  }
  const { start, end } = range ?? { start: 0, end: file.bytes };
  if (range) {
    ctx.status = 206;
    ctx.set('Content-Range', `bytes ${start}-${end - 1}/${file.bytes}`);
  } else ctx.status = 200;
  if (body) ctx.body = body;
  ctx.set('Content-Type', file.mediaType); // after the body: Koa takes a stream for octets
  ctx.length = end - start;
}

/** HEAD is answered here: the store's link is signed for GET. Ranges are the store's matter; clients ask for them again there. */
async function leadTo(links: BlobLinks, ctx: ApiContext, file: LinkedFile): Promise<void> {
  const left = file.link.expiresAtSeconds - Math.floor(Date.now() / 1000);
  const seconds = Math.max(1, Math.min(storeLinkSeconds, left));
  const address = await links.sign(file.blobKey, { seconds, headers: headersOf(file) });
  ctx.status = 302;
  ctx.set({
    Location: address,
    'Cache-Control': `private, max-age=${Math.min(ledSeconds, Math.floor(seconds / 2))}`,
    'Cross-Origin-Resource-Policy': 'cross-origin',
  });
  ctx.body = '';
}

const headersOf = (file: LinkedFile) => ({
  'Content-Type': file.mediaType,
  'Cache-Control': 'private, max-age=3600, immutable',
  'Content-Disposition': `inline; filename="${file.link.taskId}-${file.link.file}.${extensionOf(file)}"`,
});

export type LinkedFile = StoredFile & { link: FileLink };

async function linkedFile(
  deps: ApiDependencies,
  ctx: ApiContext,
  path: { taskId: string; file: string },
): Promise<LinkedFile> {
  const verdict = verifyLink(path, ctx.query, deps.secrets, Date.now() / 1000);
  if (verdict.verdict === 'forged') throw new GatewayError('route_not_found', 'File not found.');
  if (verdict.verdict === 'expired')
    throw new GatewayError('route_not_found', 'This link has expired. GET the task for a new one.');
  const { link } = verdict;
  return { ...(await storedFile(deps, link)), link };
}

async function storedFile({ database, configuration }: ApiDependencies, { taskId, file }: FileLink) {
  const task = await findTask(database, taskId);
  if (task?.removedAt && task.kind !== 'avatar_talk')
    throw new GatewayError('route_not_found', `This file was deleted: ${retentionText(configuration)}.`);
  const stored = typeof file === 'number' ? task?.files?.[file] : task?.uploads?.[file];
  if (!task || !stored || task.removedAt) throw fileDeleted();
  return { ...stored, isUpload: typeof file !== 'number', isFinal: isFinal(task.state) };
}

/** Opens a file that may be deleted in this moment: then its row says so by now, or, of an upload, will in the next. */
async function opened(deps: ApiDependencies, { blobKey, link }: { blobKey: string; link: FileLink }, range: Range) {
  try {
    return await deps.blobs.read(blobKey, range);
  } catch (error) {
    if (!(error instanceof BlobNotFound)) throw error;
    const { isUpload, isFinal } = await storedFile(deps, link);
    throw isUpload && isFinal ? fileDeleted() : error;
  }
}

const fileDeleted = () => new GatewayError('route_not_found', 'This file was deleted.');

type Range = { start: number; end: number } | undefined;

/** One range of bytes (RFC 9110, section 14); anything more is answered whole, as it allows. */
function rangeOf(ctx: ApiContext, bytes: number): { start: number; end: number } | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(ctx.get('Range'));
  if (!match || ctx.get('If-Range') !== '') return undefined;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const start = Math.max(0, bytes - Number(last));
    return Number(last) === 0 ? 'unsatisfiable' : { start, end: bytes };
  }
  const start = Number(first);
  const end = last === '' ? bytes : Math.min(bytes, Number(last) + 1);
  if (start >= bytes) return 'unsatisfiable';
  return start < end ? { start, end } : undefined;
}

const extensionOf = ({ mediaType }: StoredFile): string => mediaType.split('/')[1]?.replace('jpeg', 'jpg') ?? 'bin';

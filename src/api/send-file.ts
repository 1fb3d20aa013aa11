/**
 * Stored files as they are downloaded. They are sent from here, or, where callers can reach the store, led there by a link
 * of its own, which lives for minutes: callers and providers know no other addresses than ours, and a file that is deleted
 * or whose link has expired is so at once.
 */
import { type BlobLinks, BlobNotFound } from '../blobs/blob-store.ts';
import type { ApiContext } from './context.ts';
import type { ApiDependencies } from './dependencies.ts';
import { enterDownload } from './download-pace.ts';
import { headers } from './openapi/headers.ts';
import type { JsonSchema } from './openapi/schemas.ts';
import type { Response } from './public-operation.ts';

export interface Download {
  blobKey: string;
  bytes: number;
  /** Names the bytes. */
  etag: string;
  headers: Record<'Content-Type' | 'Content-Disposition' | 'Cache-Control', string>;
  /** How long a link into the store may be good; its usual time without. */
  secondsLeft?: number;
  /** What a blob that is not there any more means: the error to answer with, if it is one of the caller's. */
  whenGone: () => Promise<Error | undefined>;
}

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

/** Answers with a stored file, or leads to the store that has it. */
export async function answerFile(deps: ApiDependencies, ctx: ApiContext, file: Download): Promise<void> {
  if (deps.blobs.links && ctx.method === 'GET') await leadTo(deps.blobs.links, ctx, file);
  else await sendFile(deps, ctx, file);
}

/** Answers with the file, or the range that is asked for; HEAD, with its headers. */
async function sendFile(deps: ApiDependencies, ctx: ApiContext, file: Download): Promise<void> {
  const range = rangeOf(ctx, file.bytes);
  // Before anything is answered. Once it is open, it is read to its end, deleted or not.
  const isRead = ctx.method !== 'HEAD' && range !== 'unsatisfiable';
  if (isRead) enterDownload(deps, ctx);
  const body = isRead ? await opened(deps, file, range) : undefined;
  ctx.set({
    ...file.headers,
    'Accept-Ranges': 'bytes',
    // Results are shown on other sites' pages; the signature, not the origin, is what lets them.
    'Cross-Origin-Resource-Policy': 'cross-origin',
    ETag: `"${file.etag}"`,
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
  ctx.set('Content-Type', file.headers['Content-Type']); // after the body: Koa takes a stream for octets
  ctx.length = end - start;
}

/** HEAD is answered here: the store's link is signed for GET. Ranges are the store's matter; clients ask for them again there. */
async function leadTo(links: BlobLinks, ctx: ApiContext, file: Download): Promise<void> {
  const seconds = Math.max(1, Math.min(storeLinkSeconds, file.secondsLeft ?? storeLinkSeconds));
  const address = await links.sign(file.blobKey, { seconds, headers: file.headers });
  ctx.status = 302;
  ctx.set({
    Location: address,
    'Cache-Control': `private, max-age=${Math.min(ledSeconds, Math.floor(seconds / 2))}`,
    'Cross-Origin-Resource-Policy': 'cross-origin',
  });
  ctx.body = '';
}

/** Opens a file that may be deleted in this moment. */
async function opened({ blobs }: ApiDependencies, { blobKey, whenGone }: Download, range: Range) {
  try {
    return await blobs.read(blobKey, range);
  } catch (error) {
    if (!(error instanceof BlobNotFound)) throw error;
    throw (await whenGone()) ?? error;
  }
}

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

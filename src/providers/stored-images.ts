/**
 * Images that were the answer to a create: `{data: [{b64_json | url | error}, …]}`, as OpenAI has it and others too. The
 * stored answer may have some hundred MB, so it is scanned once for where its images are, and each is decoded when it
 * is read.
 */
import { pipeline, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ProviderSettings } from '../domain/catalogue.ts';
import { GatewayError } from '../domain/errors.ts';
import type { Job, Poll, StoredAnswer } from './contract.ts';
import type { ProviderTools } from './definition.ts';
import { base64Stream } from './http/base64-stream.ts';
import { JsonScanner, type JsonSpan, NotJson } from './http/json-scanner.ts';
import { refusalError } from './http/task-provider.ts';
import type { TaskWire } from './http/wire.ts';

/** More than any request asks for: what comes behind them is not looked at. */
const imagesMax = 64;
/** A data URI begins with less. */
const dataHeadBytesMax = 512;
const urlBytesMax = 8 * 1024;
const errorBytesMax = 16 * 1024;

/** Where the text of a string is, without its quotes. */
interface Image {
  member: 'b64_json' | 'url';
  start: number;
  end: number;
}

type Members = Partial<Record<Image['member'] | 'error', JsonSpan>>;

interface Found {
  images: Image[];
  /** The first error that stands for an image, else the one of the whole answer. */
  error: JsonSpan | undefined;
}

/**
 * Reads such answers. An element of `data` without an image is left out; if none has one, the result is the first
 * error, as `wire.refusal` judges `{error}` with the status 200. What is no such answer at all is `upstream_error`.
 */
export function storedImages(
  wire: Pick<TaskWire, 'refusal'>,
  settings: Pick<ProviderSettings, 'secrets' | 'headers'>,
  tools: Pick<ProviderTools, 'fetchResult'>,
): (answer: StoredAnswer, job: Job) => Promise<Poll> {
  return async (answer, job) => {
    const found = await scanned(answer);
    if (found === undefined) return failed('The provider returned something other than a result.');
    if (found.images.length === 0) return await errorOf(found.error, answer, job);
    const parts = found.images.map((image) => ({
      open: (signal: AbortSignal) => opened(answer, image, signal),
    }));
    return { state: 'succeeded', parts };
  };

  async function errorOf(span: JsonSpan | undefined, answer: StoredAnswer, job: Job): Promise<Poll> {
    if (span === undefined || span.end - span.start > errorBytesMax) {
      return failed('The provider returned no image.');
    }
    const text = `{"error":${(await bytesOf(answer, span)).toString()}}`;
    const json: unknown = JSON.parse(text);
    const whole = { status: 200, headers: { 'content-type': 'application/json' }, json, text };
    const refusal = wire.refusal?.(whole, job) ?? { code: 'upstream_error', fallOver: false };
    return { state: 'failed', error: refusalError(settings, refusal, whole) };
  }

  async function opened(answer: StoredAnswer, { member, start, end }: Image, signal: AbortSignal): Promise<Readable> {
    const head = await bytesOf(answer, { start, end: Math.min(end, start + dataHeadBytesMax) });
    const data = /^data:([^,]*),/i.exec(head.toString('latin1'));
    if (data !== null) {
      if (!/;base64$/i.test(data[1] ?? '')) throw unreadable();
      return decoded(await answer.read({ start: start + data[0].length, end }));
    }
    if (member === 'b64_json') return decoded(await answer.read({ start, end }));
    if (end - start > urlBytesMax) throw unreadable();
    const url: unknown = JSON.parse(`"${(await bytesOf(answer, { start, end })).toString()}"`);
    if (typeof url !== 'string' || !/^https?:/i.test(url) || !URL.canParse(url)) throw unreadable();
    return await tools.fetchResult(url, signal);
  }
}

/** Undefined if the text is no JSON with an array `data`, or an `error` in its place. */
async function scanned(answer: StoredAnswer): Promise<Found | undefined> {
  // As with any reader of JSON, the last of several members of a name counts.
  let data: Found | undefined;
  let collecting: Found = { images: [], error: undefined };
  let members: Members = {};
  let wholeError: JsonSpan | undefined;
  const scanner = new JsonScanner(3, ([first, second, third], span) => {
    if (first === 'data' && typeof second === 'number') {
      if (third === 'b64_json' || third === 'url' || third === 'error') members[third] = span;
      if (third !== undefined) return;
      take(members, collecting);
      members = {};
    } else if (first === 'data' && second === undefined) {
      data = span.type === 'array' ? collecting : undefined;
      collecting = { images: [], error: undefined };
    } else if (first === 'error' && second === undefined) {
      wholeError = span.type === 'scalar' ? undefined : span;
    }
  });
  try {
    const pieces: AsyncIterable<Buffer> = await answer.read();
    for await (const piece of pieces) scanner.write(piece);
    scanner.end();
  } catch (error) {
    if (error instanceof NotJson) return undefined;
    throw error;
  }
  if (data === undefined) return wholeError && { images: [], error: wholeError };
  return { images: data.images, error: data.error ?? wholeError };
}

function take({ b64_json: base64, url, error }: Members, found: Found): void {
  const image = imageIn('b64_json', base64) ?? imageIn('url', url);
  if (image === undefined) found.error ??= error?.type === 'scalar' ? undefined : error;
  else if (found.images.length < imagesMax) found.images.push(image);
}

function imageIn(member: Image['member'], span: JsonSpan | undefined): Image | undefined {
  if (span?.type !== 'string' || span.end - span.start === 2) return undefined;
  return { member, start: span.start + 1, end: span.end - 1 };
}

const bytesOf = async (answer: StoredAnswer, { start, end }: { start: number; end: number }): Promise<Buffer> =>
  buffer(await answer.read({ start, end }));

/** A failure on the way is an error of the returned stream. */
function decoded(text: Readable): Readable {
  const decoder = base64Stream((reason) => unreadable(new Error(reason)));
  pipeline(text, decoder, ignore);
  return decoder;
}

const unreadable = (cause?: unknown): GatewayError =>
  new GatewayError('upstream_error', 'The provider returned an image that cannot be read.', { cause });

const failed = (message: string): Poll => ({ state: 'failed', error: new GatewayError('upstream_error', message) });

function ignore(): void {
  // the stream's reader gets the error from the stream itself
}

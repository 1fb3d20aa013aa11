/** One call to an upstream: bounded in time, bytes and values, never redirected, never repeated. */
import { pipeline, Readable, Transform } from 'node:stream';
import { getHeapStatistics } from 'node:v8';
import { Agent, Client, type Dispatcher } from 'undici';
import { parseJsonWithin } from '../../domain/json/json-bounds.ts';
import { DecodedBytes, decompressor, PackedTooTight } from './decompressor.ts';
import type { StreamedBody, WireAnswer, WireCall, WireUpload } from './wire.ts';

const answerBytesMax = 8 * 1024 * 1024;
const connectTimeoutMs = 10_000;
const headerBytesMax = 32 * 1024;
const connectionsMax = 256;
const codingsMax = 3;
/** Of all answers to calls that may be repeated which one caller holds at once. */
const heldBytesMax = Math.max(4 * answerBytesMax, Math.floor(getHeapStatistics().heap_size_limit / 16));

export interface Caller {
  /** A call that may be repeated. Resolves with the whole answer, whatever its status; rejects when none came. */
  call(call: WireCall, signal: AbortSignal): Promise<WireAnswer>;
  /** The paid call. Resolves with the whole answer, whatever its status; rejects with NotSent or AnswerLost. */
  pay(call: WireCall | WireUpload, signal: AbortSignal): Promise<WireAnswer>;
  /** As `pay`, but the body of a 2xx is handed over as it comes; the caller must read or destroy it. */
  payForBody(call: WireCall | WireUpload, signal: AbortSignal): Promise<WireAnswer | AnswerBody>;
  close(): Promise<void>;
}

export interface AnswerBody {
  status: number;
  headers: WireAnswer['headers'];
  body: Readable;
}

/** The call did not leave this machine. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
}

/** The call left, and no whole answer came: its outcome is unknown. */
export class AnswerLost extends Error {
  override readonly name = 'AnswerLost';
}

/** A caller with connections of its own. `timeoutMs` is to the first byte of an answer, `idleTimeoutMs` between bytes. */
export function openCaller({ timeoutMs, idleTimeoutMs }: { timeoutMs: number; idleTimeoutMs: number }): Caller {
  const options = {
    pipelining: 1,
    maxHeaderSize: headerBytesMax,
    headersTimeout: timeoutMs,
    bodyTimeout: idleTimeoutMs,
    connect: { timeout: connectTimeoutMs },
  };
  const agent = new Agent({ ...options, connections: connectionsMax });
  const held = { bytes: 0 };
  return { call: async (call, signal) => whole(await send(agent, call, signal), held), pay, payForBody, close };

  async function pay(call: WireCall | WireUpload, signal: AbortSignal): Promise<WireAnswer> {
    const connection = freshConnection(call);
    try {
      return await whole(await send(connection.client, call, signal));
    } catch (error) {
      throw connection.failureOf(error);
    } finally {
      void connection.client.destroy();
    }
  }

  async function payForBody(call: WireCall | WireUpload, signal: AbortSignal): Promise<WireAnswer | AnswerBody> {
    const connection = freshConnection(call);
    try {
      const answer = await send(connection.client, call, signal);
      const { statusCode: status, headers, body } = answer;
      const isGood = status >= 200 && status < 300;
      const result = isGood ? { status, headers, body: decoded(answer) } : await whole(answer);
      if (isGood) body.once('close', () => void connection.client.destroy());
      else void connection.client.destroy();
      return result;
    } catch (error) {
      void connection.client.destroy();
      throw connection.failureOf(error);
    }
  }

  /**
   * A connection that no call used before: one that the upstream closes for idleness just then would lose the call, and
   * its outcome would be unknown. Until it is open, nothing was sent.
   */
  function freshConnection({ url }: Pick<WireCall, 'url'>) {
    const client = new Client(new URL(url).origin, options);
    let isSent = false;
    client.once('connect', () => {
      isSent = true;
    });
    // undici's own texts name hosts and ports; the cause is for the log.
    const failureOf = (cause: unknown) =>
      isSent
        ? new AnswerLost('the connection broke, or no answer came in time', { cause })
        : new NotSent('the provider could not be reached', { cause });
    return { client, failureOf };
  }

  async function close(): Promise<void> {
    await agent.destroy();
  }
}

function send(dispatcher: Dispatcher, { url, method, headers, body }: WireCall | WireUpload, signal: AbortSignal) {
  const { origin, pathname, search } = new URL(url);
  return dispatcher.request({
    origin,
    path: `${pathname}${search}`,
    method,
    headers: {
      'user-agent': 'tollgate',
      ...(body !== undefined && contentOf(body)),
      ...headers,
    },
    body: typeof body === 'object' ? Readable.from(body.read(), { objectMode: false }) : (body ?? null),
    signal,
  });
}

const contentOf = (body: string | StreamedBody): Record<string, string> =>
  typeof body === 'string'
    ? { 'content-type': 'application/json' }
    : { 'content-type': body.contentType, 'content-length': String(body.bytes) };

/** With `held` counted among what is held, and refused where that is too much. */
async function whole(answer: Dispatcher.ResponseData, held?: { bytes: number }): Promise<WireAnswer> {
  const { statusCode: status, headers } = answer;
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    const source: AsyncIterable<Buffer> = decoded(answer);
    for await (const piece of source) {
      bytes += piece.length;
      if (held) held.bytes += piece.length;
      if (bytes > answerBytesMax) throw new Error(`the answer has more than ${answerBytesMax} bytes`);
      if (held && held.bytes > heldBytesMax) throw new Error('too many large answers are under way');
      pieces.push(piece);
    }
  } finally {
    if (held) held.bytes -= bytes;
  }
  const whole = Buffer.concat(pieces, bytes);
  return { status, headers, json: parsed(whole), text: whole.toString() };
}

/**
 * The body as it was before it was compressed: none is asked for, but some proxies compress whatever they carry, and the
 * answer to a paid call is not to be had again. Its reader bounds the bytes; it fails where they are far more than
 * came over the wire.
 */
function decoded({ headers, body }: Dispatcher.ResponseData): Readable {
  const decoders = String(headers['content-encoding'] ?? '')
    .split(',', codingsMax)
    .flatMap((coding) => decompressor(coding.trim().toLowerCase()) ?? [])
    .reverse();
  if (decoders.length === 0) return body;
  const bytes = new DecodedBytes();
  const wire = counted((count) => {
    bytes.in(count);
    return true;
  });
  const last = counted((count) => bytes.out(count));
  // The reader gets the error from the stream that it reads.
  pipeline([body, wire, ...decoders, last], () => undefined);
  return last;
}

/** Passes on what it is given, as long as that is within bounds. */
function counted(isWithin: (bytes: number) => boolean): Transform {
  return new Transform({
    transform: (piece: Buffer, _encoding, done) => {
      if (isWithin(piece.length)) done(null, piece);
      else done(new PackedTooTight());
    },
  });
}

/** Undefined for what isn't JSON. Throws TooManyValues. */
function parsed(bytes: Buffer): unknown {
  try {
    return parseJsonWithin(bytes);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** JSON bodies: read raw under a byte cap, so that the chat path can forward the very bytes, and parsed once. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../../domain/errors.ts';
import { askForBody } from './continue.ts';
import { jsonMistake } from './json-mistake.ts';
import { hasMoreValuesThan } from './json-values.ts';
import { ClientGone, discardRest, refuseContentCoding } from './request-stream.ts';

export interface JsonBody {
  /** As they came. */
  bytes: Buffer;
  value: unknown;
  /** How long it took to come. */
  tookMs: number;
}

// Deeper values would overflow the stack of whatever walks them; real requests nest a dozen levels.
const levelsMax = 256;
// 20 MiB of `[],` take three seconds and half a gigabyte, all of it in one go; real requests have thousands at most.
const valuesMax = 250_000;
// The largest body at 70 KB a second; a caller that drips would hold its connection for an hour otherwise.
const bodyMsMax = 300_000;
// What is still read and thrown away after a refusal, so that the caller gets to read the answer.
const discardBytesMax = 256 * 1024 * 1024;

/** What all bodies together may take. */
export interface BodyRoom {
  /** Refuses what would not fit now. */
  require(bytes: number): void;
  /** Takes room; answers the refusal where there is none. */
  take(bytes: number): GatewayError | undefined;
}

export interface JsonBodyOptions {
  bytesMax: number;
  room?: BodyRoom;
  /** Of the whole body. */
  totalMs?: number;
}

/**
 * Reads and parses a JSON body. Refuses with `request_too_large` by Content-Length before anything is read, and while it
 * streams; with `unsupported_media_type` for anything but uncompressed JSON in UTF-8; with `invalid_json` and the place;
 * with `invalid_parameter` when it takes more than five minutes. Throws `ClientGone` when the caller leaves. After a
 * refusal the rest of the body is thrown away in the background.
 */
export async function readJsonBody(
  request: IncomingMessage,
  { bytesMax, room, totalMs = bodyMsMax }: JsonBodyOptions,
): Promise<JsonBody> {
  try {
    refuseLength(request, bytesMax);
    refuseOtherTypes(request);
    refuseContentCoding(request);
    // Not taken yet: whoever announces much and sends nothing would keep it from the others.
    room?.require(Number(request.headers['content-length'] ?? 0));
    askForBody(request);
    const startedAtMs = performance.now();
    const bytes = await readBytes(request, { bytesMax, ...(room && { room }), totalMs });
    const tookMs = performance.now() - startedAtMs;
    return { bytes, value: parse(bytes), tookMs };
  } catch (error) {
    discardRest(request, discardBytesMax);
    throw error;
  }
}

function refuseLength(request: IncomingMessage, bytesMax: number): void {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax);
}

function refuseOtherTypes(request: IncomingMessage): void {
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  if (!/^application\/([\w!#$&^.-]+\+)?json$/.test(type)) {
    throw new GatewayError(
      'unsupported_media_type',
      'The body must be JSON: send it with Content-Type application/json.',
    );
  }
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) {
    throw new GatewayError('unsupported_media_type', 'The body must be JSON in UTF-8, without another charset.');
  }
}

/** Events instead of an iterator: an iterator that is left early destroys the connection, and the answer with it. */
function readBytes(
  request: IncomingMessage,
  { bytesMax, room, totalMs }: JsonBodyOptions & { totalMs: number },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    const onData = (piece: Buffer) => {
      bytes += piece.length;
      const refusal = bytes > bytesMax ? tooLarge(bytesMax) : room?.take(piece.length);
      if (refusal) settle(() => reject(refusal));
      else pieces.push(piece);
    };
    const onEnd = () => {
      const [only] = pieces;
      settle(() => resolve(pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces, bytes)));
    };
    const onError = (error: Error) => settle(() => reject(new ClientGone(error)));
    const onClose = () => settle(() => reject(new ClientGone()));
    const timer = setTimeout(() => settle(() => reject(tooSlow(totalMs))), totalMs);
    const settle = (act: () => void) => {
      clearTimeout(timer);
      request.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose);
      act();
    };
    if (request.destroyed) onClose();
    else request.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose);
  });
}

function parse(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw invalid('it is not valid UTF-8');
  if (bytes.length > valuesMax && hasMoreValuesThan(valuesMax, bytes))
    throw invalid(`it has more than ${valuesMax} values`);
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // V8's own message quotes the body, which then could reach a log.
    if (error instanceof SyntaxError) throw invalid(jsonMistake(text));
    throw error;
  }
  if (nestsDeeperThan(levelsMax, value)) throw invalid(`it nests deeper than ${levelsMax} levels`);
  return value;
}

function nestsDeeperThan(levels: number, value: unknown): boolean {
  let layer: unknown[] = [value];
  for (let level = 1; level <= levels; level++) {
    const next: unknown[] = [];
    for (const entry of layer) {
      if (typeof entry !== 'object' || entry === null) continue;
      for (const below of Array.isArray(entry) ? (entry as unknown[]) : Object.values(entry)) {
        if (typeof below === 'object' && below !== null) next.push(below);
      }
    }
    if (next.length === 0) return false;
    layer = next;
  }
  return true;
}

const tooLarge = (bytesMax: number) =>
  new GatewayError('request_too_large', `The body must have at most ${bytesMax} bytes.`);
const tooSlow = (totalMs: number) =>
  new GatewayError('invalid_parameter', `The body took more than ${totalMs / 1000} s.`);
const invalid = (what: string) => new GatewayError('invalid_json', `The body is not valid JSON: ${what}.`);

/** JSON bodies: read raw under a byte cap, so that the chat path can forward the very bytes, and parsed once. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { JsonMembers } from '../../domain/chat/json-members.ts';
import { GatewayError } from '../../domain/errors.ts';
import { parseJsonWithin, TooManyValues, valuesMax } from '../../domain/json/json-bounds.ts';
import { askForBody } from './continue.ts';
import { jsonMistake } from './json-mistake.ts';
import { readMembers } from './json-names.ts';
import { parseInOrder } from './parse-order.ts';
import type { BodyMemory } from './body-room.ts';
import { ClientGone, discardRest, refuseContentCoding } from './request-stream.ts';

export interface JsonBody {
  /** As they came. */
  bytes: Buffer;
  value: unknown;
  /** The members at its top, if it is an object: those of `places` with their places. */
  members: JsonMembers | undefined;
  /** What the parsed value takes of the memory, about; to be given back when it is let go of before the answer is over. */
  valueBytes: number;
  /** How long it took to come. */
  tookMs: number;
}

// Deeper values would overflow the stack of whatever walks them; real requests nest a dozen levels.
const levelsMax = 256;
// Parsed and checked, an object of one member takes some 110 bytes for its comma and its brace each, texts their own bytes.
const bytesPerValue = 200;
// A body may pause for a moment, and a slow one may take its time; one that drips would hold its room for as long.
const graceMsDefault = 10_000;
const bytesPerSecondMin = 16 * 1024;
// The largest body at 70 KB a second.
const totalMsDefault = 300_000;
// What is still read and thrown away after a refusal, so that the caller gets to read the answer.
const discardBytesMax = 256 * 1024 * 1024;

/** The most memory that a body of so many bytes takes, with its values. */
export const memoryOfBody = (bytes: number): number => bytes + valuesMax * bytesPerValue;

export interface JsonBodyOptions {
  bytesMax: number;
  room?: Pick<BodyMemory, 'require' | 'take'>;
  /** What the gateway reads at the top of it: a name that differs by its case only is refused. */
  names?: ReadonlySet<string> | undefined;
  /** The members whose places are wanted. */
  places?: readonly string[] | undefined;
  /** How long it may come at any pace; after that, 16 KB more are due each second. */
  graceMs?: number;
  /** Of the whole body. */
  totalMs?: number;
}

/**
 * Reads and parses a JSON body. Refuses with `request_too_large` by Content-Length before anything is read, and while it
 * streams; with `unsupported_media_type` for anything but uncompressed JSON in UTF-8; with `invalid_json` and the place,
 * also for names at its top that could be read in two ways; with `invalid_parameter` when it comes too slowly; as `room`
 * has it where its bytes and values don't fit. Throws `ClientGone` when the caller leaves. After a refusal the rest of
 * the body is thrown away in the background.
 */
export async function readJsonBody(request: IncomingMessage, options: JsonBodyOptions): Promise<JsonBody> {
  const { bytesMax, room, names = noNames, places = [] } = options;
  try {
    refuseLength(request, bytesMax);
    refuseOtherTypes(request);
    refuseContentCoding(request);
    // Not taken yet: a caller that announces much and sends nothing would keep it from the others.
    room?.require(Number(request.headers['content-length'] ?? 0));
    askForBody(request);
    const startedAtMs = performance.now();
    const bytes = await readBytes(request, options);
    const tookMs = performance.now() - startedAtMs;
    const parsed = parseInOrder(bytes.length, () => parse(bytes));
    const { value, values } = parsed instanceof Promise ? await parsed : parsed;
    const valueBytes = values * bytesPerValue;
    const refusal = room?.take(valueBytes);
    if (refusal) throw refusal;
    const members = isObject(value) ? readMembers(bytes, value, names, places) : undefined;
    return { bytes, value, members, valueBytes, tookMs };
  } catch (error) {
    discardRest(request, discardBytesMax);
    throw error;
  }
}

/** Parses a JSON body that is there already, as `readJsonBody` does one that comes. Refuses with `invalid_json`. */
export async function parseJsonBody(
  bytes: Buffer,
  { names = noNames, places = [] }: Pick<JsonBodyOptions, 'names' | 'places'>,
): Promise<Pick<JsonBody, 'bytes' | 'value' | 'members'>> {
  const { value } = await parseInOrder(bytes.length, () => parse(bytes));
  return { bytes, value, members: isObject(value) ? readMembers(bytes, value, names, places) : undefined };
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
      'The body must be JSON. Send it with Content-Type: application/json.',
    );
  }
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) {
    throw new GatewayError('unsupported_media_type', 'The body must be JSON encoded as UTF-8.');
  }
}

/** Events instead of an iterator: an iterator that is left early destroys the connection, and the answer with it. */
function readBytes(
  request: IncomingMessage,
  { bytesMax, room, graceMs = graceMsDefault, totalMs = totalMsDefault }: JsonBodyOptions,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    const startedAtMs = performance.now();
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
    const checkPace = () => {
      const mayTakeMs = Math.min(graceMs + (bytes / bytesPerSecondMin) * 1000, totalMs);
      const leftMs = startedAtMs + mayTakeMs - performance.now();
      if (leftMs > 0) timer = setTimeout(checkPace, leftMs);
      else settle(() => reject(tooSlow(graceMs, totalMs)));
    };
    let timer = setTimeout(checkPace, Math.min(graceMs, totalMs));
    const settle = (act: () => void) => {
      clearTimeout(timer);
      request.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose);
      act();
    };
    if (request.destroyed) onClose();
    else request.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose);
  });
}

/** The value, and how many values there are in it. */
function parse(bytes: Buffer): { value: unknown; values: number } {
  if (!isUtf8(bytes)) throw invalid('it is not valid UTF-8');
  let value: unknown;
  try {
    value = parseJsonWithin(bytes);
  } catch (error) {
    if (error instanceof TooManyValues) throw invalid(error.message);
    // V8's own message quotes the body, which then could reach a log.
    if (error instanceof SyntaxError) throw invalid(jsonMistake(bytes.toString('utf8')));
    throw error;
  }
  return { value, values: valuesIn(value) };
}

/** How many values there are in a value, itself included. Refuses what nests too deep. */
function valuesIn(value: unknown): number {
  let values = 1;
  let layer: unknown[] = [value];
  for (let level = 1; level <= levelsMax; level++) {
    const next: unknown[] = [];
    for (const entry of layer) {
      if (typeof entry !== 'object' || entry === null) continue;
      const held = Array.isArray(entry) ? (entry as unknown[]) : Object.values(entry);
      values += held.length;
      for (const below of held) if (typeof below === 'object' && below !== null) next.push(below);
    }
    if (next.length === 0) return values;
    layer = next;
  }
  throw invalid(`it is nested deeper than ${levelsMax} levels`);
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const noNames: ReadonlySet<string> = new Set();

const tooLarge = (bytesMax: number) =>
  new GatewayError('request_too_large', `The body must not exceed ${bytesMax} bytes.`);
const tooSlow = (graceMs: number, totalMs: number) =>
  new GatewayError(
    'invalid_parameter',
    `The body was sent too slowly: after ${graceMs / 1000} s it must arrive at ${bytesPerSecondMin} bytes per second or more, and may take at most ${totalMs / 1000} s in total.`,
  );
const invalid = (what: string) => new GatewayError('invalid_json', `The body is not valid JSON: ${what}.`);

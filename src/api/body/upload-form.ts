/** The avatar-talk upload: two files that stream from the connection into the blob store, and a few short fields. */
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { GatewayError } from '../../domain/errors.ts';
import { BlobTooLarge, type BlobStore, type StoredBlob } from '../../blobs/blob-store.ts';
import { askForBody, awaitsGoAhead } from './continue.ts';
import { ClientGone, discardRest, refuseContentCoding } from './request-stream.ts';

const fileNames = ['audio', 'video'] as const;
type FileName = (typeof fileNames)[number];
const fieldNames = ['model', 'template_name', 'webhook_url'] as const;
type FieldName = (typeof fieldNames)[number];

export interface AvatarTalkForm {
  /** As they were sent; their own rules are the request schema's. */
  fields: Partial<Record<FieldName, string>>;
  audio: StoredBlob;
  video: StoredBlob;
}

export interface AvatarTalkFormOptions {
  store: Pick<BlobStore, 'write' | 'remove'>;
  /** A new key for each file. */
  newKey: (name: FileName) => string;
  limits: { audioBytes: number; videoBytes: number };
  /** How long the caller may send nothing. */
  idleMs?: number;
  /** How long all of it may take. */
  totalMs?: number;
}

const idleMsDefault = 30_000;
const totalMsDefault = 3_600_000;
const fieldBytesMax = 8192;
// Above what one read of the connection brings: the parser never goes on after a part that it skips was paused with
// another one behind it.
const partBytesUnreadMax = 512 * 1024;
// Fields, part headers and unknown parts, which are skipped, must fit in what the two files leave.
const besidesFilesBytesMax = 1024 * 1024;

/**
 * Streams the two files of an avatar-talk creation into the blob store and answers where they are.
 * Refuses with `unsupported_media_type` for anything but an uncompressed form, `missing_parameter` and
 * `invalid_parameter` with the part as `param`, `request_too_large` with the file as `param`. Throws `ClientGone` when
 * the caller leaves. Whatever goes wrong, the files written so far are removed first, and the rest of the body is
 * thrown away in the background, so that the answer can be read.
 */
export async function readAvatarTalkForm(
  request: IncomingMessage,
  options: AvatarTalkFormOptions,
): Promise<AvatarTalkForm> {
  const upload = new Upload(options);
  try {
    refuseContentCoding(request);
    refuseLength(request, options);
    await feed(request, upload, options);
    return await upload.form();
  } catch (error) {
    const failures = await upload.undo();
    discardRest(request, 2 * bytesMaxOf(options));
    if (failures.length > 0)
      throw new AggregateError([error, ...failures], 'an upload failed and could not be removed');
    throw error;
  }
}

/**
 * Where nothing is sent before the go-ahead, what can't fit is refused by its length. Where it is sent anyway, it is read
 * until it is known which of the files is too large, which a caller would rather hear.
 */
function refuseLength(request: IncomingMessage, options: AvatarTalkFormOptions): void {
  if (!awaitsGoAhead(request) || Number(request.headers['content-length'] ?? 0) <= bytesMaxOf(options)) return;
  const { audioBytes, videoBytes } = options.limits;
  throw new GatewayError(
    'request_too_large',
    `The form is too large: audio must not exceed ${audioBytes} bytes, video ${videoBytes} bytes.`,
  );
}

/** What came so far. `failed` is called with its first fault. */
class Upload {
  failed: (error: unknown) => void = () => undefined;
  private readonly options: AvatarTalkFormOptions;
  private readonly fields: AvatarTalkForm['fields'] = {};
  private readonly streams: Readable[] = [];
  private readonly keys: string[] = [];
  private readonly files = new Map<FileName, Promise<StoredBlob>>();
  private givenUp = false;

  constructor(options: AvatarTalkFormOptions) {
    this.options = options;
  }

  addField(name: string | undefined, value: string, truncated: boolean): void {
    const known = fieldNames.find((field) => field === name);
    if (known === undefined) return; // ignored, as unknown names in JSON bodies are
    if (truncated) this.failed(invalid(known, `${known} must not exceed ${fieldBytesMax} bytes.`));
    else if (known in this.fields) this.failed(invalid(known, `${known} must be sent once.`));
    else this.fields[known] = value;
  }

  addFile(name: string | undefined, stream: Readable): void {
    stream.on('error', () => undefined); // the store's reader gets it too; this one is for when there is none
    this.streams.push(stream);
    if (this.givenUp) return; // the parser still had a piece in its buffer; what is stored now would never be removed
    const known = fileNames.find((file) => file === name);
    if (known === undefined)
      this.failed(invalid(shown(name), "The only file parts of this form are 'audio' and 'video'."));
    else if (this.files.has(known)) this.failed(invalid(known, `${known} must be sent once.`));
    else this.store(known, stream);
  }

  private store(known: FileName, stream: Readable): void {
    const key = this.options.newKey(known);
    this.keys.push(key);
    const bytesMax = bytesMaxOfFile(this.options, known);
    const written = this.options.store.write(key, stream, { bytesMax });
    this.files.set(known, written);
    written.catch((error: unknown) => this.failed(error instanceof BlobTooLarge ? tooLarge(known, bytesMax) : error));
  }

  async form(): Promise<AvatarTalkForm> {
    return { fields: this.fields, audio: await this.file('audio'), video: await this.file('video') };
  }

  private async file(name: FileName): Promise<StoredBlob> {
    const written = this.files.get(name);
    if (written === undefined) {
      throw new GatewayError('missing_parameter', `The form must have a file part named ${name}.`, { param: name });
    }
    const blob = await written;
    if (blob.bytes === 0) throw invalid(name, `${name} must not be empty.`);
    return blob;
  }

  /** Ends the writing and removes what was written. Answers what could not be removed. */
  async undo(): Promise<unknown[]> {
    this.givenUp = true;
    for (const stream of this.streams) stream.destroy(new Error('the upload was given up'));
    await Promise.allSettled(this.files.values());
    const removals = await Promise.allSettled(this.keys.map((key) => this.options.store.remove(key)));
    return removals.flatMap((removal) => (removal.status === 'rejected' ? [removal.reason as unknown] : []));
  }
}

/** Feeds the request to the parser until it has seen the whole form and every file of it is stored. */
async function feed(request: IncomingMessage, upload: Upload, options: AvatarTalkFormOptions): Promise<void> {
  const { idleMs = idleMsDefault, totalMs = totalMsDefault } = options;
  const parser = parserOf(request);
  askForBody(request);
  const cleanUp: (() => void)[] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      upload.failed = reject;
      parser.on('field', (name, value, _nameTruncated, truncated) => upload.addField(name, value, truncated));
      parser.on('file', (name, stream) => upload.addFile(name, stream));
      parser.on('error', () => reject(broken()));
      for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const)
        parser.on(limit, () => reject(tooMany()));
      parser.on('finish', () => {
        upload.form().then(() => resolve(), reject);
      });
      cleanUp.push(pump(request, parser, { idleMs, totalMs, bytesMax: bytesMaxOf(options) }, reject));
    });
  } finally {
    for (const act of cleanUp) act();
    parser.destroy();
  }
}

/** Moves bytes at the pace of the parser, and so of the store. Answers what ends it. */
function pump(
  request: IncomingMessage,
  parser: BusboyInstance,
  { idleMs, totalMs, bytesMax }: { idleMs: number; totalMs: number; bytesMax: number },
  fail: (error: unknown) => void,
): () => void {
  let bytes = 0;
  let ended = false;
  let waitsForStore = false;
  const idle = setTimeout(() => {
    if (ended) fail(broken());
    else if (waitsForStore) idle.refresh();
    else fail(invalid(undefined, `The upload paused for more than ${idleMs / 1000} s.`));
  }, idleMs);
  const total = setTimeout(() => fail(invalid(undefined, `The upload took more than ${totalMs / 1000} s.`)), totalMs);
  const onData = (piece: Buffer) => {
    bytes += piece.length;
    idle.refresh();
    if (bytes > bytesMax) {
      fail(new GatewayError('request_too_large', `The form must not exceed ${bytesMax} bytes.`));
    } else if (!parser.write(piece)) {
      waitsForStore = true;
      request.pause();
    }
  };
  const onDrain = () => {
    waitsForStore = false;
    idle.refresh();
    request.resume();
  };
  const onEnd = () => {
    ended = true;
    idle.refresh();
    parser.end();
  };
  const onError = (error: Error) => fail(new ClientGone(error));
  const onClose = () => {
    if (!ended) fail(new ClientGone());
  };
  parser.on('drain', onDrain).once('finish', () => clearTimeout(idle));
  request.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose);
  if (request.destroyed) onClose();
  return () => {
    clearTimeout(idle);
    clearTimeout(total);
    parser.off('drain', onDrain);
    request.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose);
  };
}

function parserOf(request: IncomingMessage): BusboyInstance {
  const type = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*(;|$)/i.test(type)) {
    throw new GatewayError('unsupported_media_type', 'The body must be a form. Send it as multipart/form-data.');
  }
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': type },
      // `audio` and `video` are files whether or not a file name came with them; they are never held in memory.
      isPartAFile: (name = '', _type, fileName) =>
        isOneOf(fileNames, name) || (fileName !== undefined && !isOneOf(fieldNames, name)),
      fileHwm: partBytesUnreadMax,
      // One file more than there may be, so that it is met and refused by its name.
      limits: { files: 3, fields: 32, parts: 40, fieldSize: fieldBytesMax, headerPairs: 32, headerSize: 8192 },
    });
  } catch (error) {
    throw invalid(undefined, 'Content-Type has no boundary. Let the HTTP client set this header.', error);
  }
}

/** A name of the caller's, if it is one that an error may repeat. */
const shown = (name: string | undefined): string | undefined => (/^[\w.-]{1,64}$/.test(name ?? '') ? name : undefined);

const isOneOf = (names: readonly string[], name: string): boolean => names.includes(name);

const bytesMaxOfFile = ({ limits }: AvatarTalkFormOptions, name: FileName): number =>
  name === 'audio' ? limits.audioBytes : limits.videoBytes;

const bytesMaxOf = ({ limits }: AvatarTalkFormOptions): number =>
  limits.audioBytes + limits.videoBytes + besidesFilesBytesMax;

const tooLarge = (name: FileName, bytesMax: number) =>
  new GatewayError('request_too_large', `${name} must not exceed ${bytesMax} bytes.`, { param: name });

const broken = () =>
  invalid(undefined, 'The form is malformed: it ended before its last boundary, or a part has no valid header.');

const tooMany = () =>
  invalid(undefined, 'The form has too many parts. The maximum is 3 files, 32 fields and 40 parts.');

const invalid = (param: string | undefined, message: string, cause?: unknown) =>
  new GatewayError('invalid_parameter', message, { cause, ...(param === undefined ? {} : { param }) });

/** Forms with files, which stream from the connection into the blob store, and with short fields. */
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { GatewayError } from '../../domain/errors.ts';
import type { BodyTap } from '../../bodies/body-tap.ts';
import { BlobTooLarge, type BlobStore, type StoredBlob } from '../../blobs/blob-store.ts';
import { askForBody, awaitsGoAhead } from './continue.ts';
import { type FileRule, type FormRules, Rules } from './form-rules.ts';
import { ClientGone, discardRest, refuseContentCoding } from './request-stream.ts';

export interface UploadForm<FileName extends string, FieldName extends string> {
  /** As they were sent; their own rules are the request schema's. */
  fields: Partial<Record<FieldName, string>>;
  /** All fields in the order in which they came, where they are kept. */
  sent: readonly FormField[];
  /** In the order in which they came. */
  files: ReadonlyMap<FileName, readonly StoredBlob[]>;
  /** What callers call them, without folders, in the same order; empty where a file has no name. */
  fileNames: ReadonlyMap<FileName, readonly string[]>;
}

export interface FormField {
  name: string;
  value: string;
}

export interface UploadOptions {
  store: Pick<BlobStore, 'write' | 'remove'>;
  /** A new key for each file. */
  newKey: (name: string) => string;
  /** How long the caller may send nothing. */
  idleMs?: number;
  /** How long all of it may take. */
  totalMs?: number;
  /** Called with the bytes of a large field, which are kept with the form; returns the refusal where there is no room. */
  takeMemory?: (bytes: number) => GatewayError | undefined;
  /** Where the account has its bodies recorded: gets what the form had, also of one that is refused. */
  bodies?: Pick<BodyTap, 'takeForm'> | undefined;
}

const idleMsDefault = 30_000;
const totalMsDefault = 3_600_000;
/** Of a field that holds a prompt: 32,000 characters, of four bytes each, are the most that one may have. */
export const promptBytesMax = 128 * 1024;
const fieldsMax = 32;
// Three reads of the connection (64 KiB each). More than one: the parser never goes on after a part that it skips was
// paused with another one behind it. With 512 KiB a hundred uploads of 20 MiB at once took 165 to 257 MiB in place of
// 101 to 121, and no less CPU.
const partBytesUnreadMax = 192 * 1024;

/**
 * Streams the files of a form into the blob store and answers where they are.
 * Refuses with `unsupported_media_type` for anything but an uncompressed form, `missing_parameter` and
 * `invalid_parameter` with the part as `param`, `request_too_large` with the file as `param`. Throws `ClientGone` when
 * the caller leaves. Whatever goes wrong, the files written so far are removed first, and the rest of the body is
 * thrown away in the background, so that the answer can be read.
 */
export async function readUploadForm<FileName extends string, FieldName extends string>(
  request: IncomingMessage,
  given: FormRules<FileName, FieldName>,
  options: UploadOptions,
): Promise<UploadForm<FileName, FieldName>> {
  const rules = new Rules(given);
  const upload = new Upload(rules, options);
  try {
    refuseContentCoding(request);
    refuseLength(request, rules);
    await feed(request, upload, rules, options);
    const form = await upload.form();
    await upload.tell(options.bodies);
    return form;
  } catch (error) {
    const failures = await upload.undo();
    await upload.tell(options.bodies);
    discardRest(request, 2 * rules.bytesMax);
    if (failures.length > 0)
      throw new AggregateError([error, ...failures], 'an upload failed and could not be removed');
    throw error;
  }
}

/** Whether a request's body is such a form, by its header. */
export const isForm = (request: IncomingMessage): boolean =>
  /^multipart\/form-data\s*(;|$)/i.test(request.headers['content-type'] ?? '');

/**
 * Where nothing is sent before the go-ahead, what can't fit is refused by its length. Where it is sent anyway, it is read
 * until it is known which of the files is too large, which a caller would rather hear.
 */
function refuseLength(request: IncomingMessage, rules: Rules<string, string>): void {
  if (!awaitsGoAhead(request) || Number(request.headers['content-length'] ?? 0) <= rules.bytesMax) return;
  const bounds = rules.files.map(({ name, bytesMax }, at) =>
    at === 0 ? `${name} must not exceed ${bytesMax} bytes` : `${name} ${bytesMax} bytes`,
  );
  throw new GatewayError('request_too_large', `The form is too large: ${bounds.join(', ')}.`);
}

/** What came so far. `failed` is called with its first fault. */
class Upload<FileName extends string, FieldName extends string> {
  failed: (error: unknown) => void = () => undefined;
  private readonly rules: Rules<FileName, FieldName>;
  private readonly options: UploadOptions;
  /** Of the form as far as it came. */
  bytes = 0;
  private readonly seenFields: FormField[] = [];
  private readonly seenFiles: { name: string; fileName: string; type: string; written: Promise<StoredBlob> }[] = [];
  private readonly fields: UploadForm<FileName, FieldName>['fields'] = {};
  private readonly sent: FormField[] = [];
  private readonly streams: Readable[] = [];
  private readonly keys: string[] = [];
  private readonly files = new Map<FileName, Promise<StoredBlob>[]>();
  private readonly fileNames = new Map<FileName, string[]>();
  private fileBytes = 0;
  private largeCount = 0;
  private givenUp = false;

  constructor(rules: Rules<FileName, FieldName>, options: UploadOptions) {
    this.rules = rules;
    this.options = options;
  }

  addField(name: string | undefined, value: string, truncated: boolean): void {
    const known = this.rules.fieldNamed(name);
    const { keepsFields } = this.rules;
    if (name === undefined) return;
    if (known === undefined && !keepsFields) {
      if (!truncated && Buffer.byteLength(value) <= this.rules.fieldBytesMax) this.note(name, value);
      return; // ignored, as unknown names in JSON bodies are
    }
    const fault = this.boundFault(name, value, truncated);
    if (!fault) this.note(name, value);
    if (fault) this.failed(fault);
    else if (keepsFields) this.sent.push({ name, value });
    if (known === undefined || fault) return;
    if (known in this.fields) this.failed(invalid(known, `${known} must be sent once.`));
    else this.fields[known] = value;
  }

  private note(name: string, value: string): void {
    if (this.options.bodies) this.seenFields.push({ name, value });
  }

  /** The parser cuts all fields off at one length, which only the large ones may have. */
  private boundFault(name: string, value: string, truncated: boolean): GatewayError | undefined {
    const { fieldBytesMax, largeFields } = this.rules;
    if (largeFields === undefined || !this.rules.isLarge(name)) {
      const isTooLong = truncated || Buffer.byteLength(value) > fieldBytesMax;
      return isTooLong ? invalid(shown(name), `${name} must not exceed ${fieldBytesMax} bytes.`) : undefined;
    }
    const { bytesMax, most } = largeFields;
    if (truncated) return invalid(largeFields.name, `${largeFields.name} must not exceed ${bytesMax} bytes.`);
    this.largeCount++;
    if (this.largeCount > most)
      return invalid(largeFields.name, `${largeFields.name} must be sent at most ${most} times.`);
    return this.options.takeMemory?.(value.length);
  }

  addFile(name: string | undefined, stream: Readable, fileName: string | undefined, type: string): void {
    stream.on('error', () => undefined); // the store's reader gets it too; this one is for when there is none
    this.streams.push(stream);
    if (this.givenUp) return; // the parser still had a piece in its buffer; what is stored now would never be removed
    const known = this.rules.fileNamed(name);
    if (known === undefined) {
      const names = this.rules.files.map((file) => `'${file.name}'`);
      const rule =
        names.length === 1
          ? `The only file part of this form is ${names.join()}.`
          : `The only file parts of this form are ${allOf(names)}.`;
      this.failed(invalid(shown(name), rule));
      return;
    }
    const { name: file, most } = known;
    const before = this.files.get(file) ?? [];
    if (before.length < most) {
      const written = this.store(known, stream);
      this.files.set(file, [...before, written]);
      this.seenFiles.push({ name: file, fileName: fileName ?? '', type, written });
      this.fileNames.set(file, [...(this.fileNames.get(file) ?? []), fileName ?? '']);
    } else this.failed(invalid(file, `${file} must be sent ${most === 1 ? 'once' : `at most ${most} times`}.`));
  }

  private store({ name, bytesMax }: Required<FileRule<FileName>>, stream: Readable): Promise<StoredBlob> {
    const key = this.options.newKey(name);
    this.keys.push(key);
    const { filesBytesMax } = this.rules;
    const source = filesBytesMax === undefined ? stream : this.counted(stream, filesBytesMax);
    const written = this.options.store.write(key, source, { bytesMax });
    written.catch((error: unknown) => this.failed(error instanceof BlobTooLarge ? tooLarge(name, bytesMax) : error));
    return written;
  }

  private async *counted(stream: AsyncIterable<Uint8Array>, filesBytesMax: number): AsyncGenerator<Uint8Array> {
    for await (const piece of stream) {
      this.fileBytes += piece.length;
      if (this.fileBytes > filesBytesMax)
        throw new GatewayError('request_too_large', `The files together must not exceed ${filesBytesMax} bytes.`);
      yield piece;
    }
  }

  async form(): Promise<UploadForm<FileName, FieldName>> {
    const files = new Map<FileName, StoredBlob[]>();
    for (const rule of this.rules.files) files.set(rule.name, await this.filesOf(rule));
    return { fields: this.fields, sent: this.sent, files, fileNames: this.fileNames };
  }

  private async filesOf({ name, isOptional }: Required<FileRule<FileName>>): Promise<StoredBlob[]> {
    const written = this.files.get(name) ?? [];
    if (written.length === 0 && !isOptional) {
      throw new GatewayError('missing_parameter', `The form must have a file part named ${name}.`, { param: name });
    }
    const blobs = await Promise.all(written);
    if (blobs.some(({ bytes }) => bytes === 0)) throw invalid(name, `${name} must not be empty.`);
    return blobs;
  }

  /** Has the form recorded. */
  async tell(bodies: UploadOptions['bodies']): Promise<void> {
    if (!bodies || this.bytes === 0) return;
    const files = this.seenFiles.map(async ({ written, ...file }) => ({
      ...file,
      bytes: await written.then(
        ({ bytes }) => bytes,
        () => undefined,
      ),
    }));
    bodies.takeForm({ fields: this.seenFields, files: await Promise.all(files) }, this.bytes);
  }

  /** Ends the writing and removes what was written. Answers what could not be removed. */
  async undo(): Promise<unknown[]> {
    this.givenUp = true;
    for (const stream of this.streams) stream.destroy(new Error('the upload was given up'));
    await Promise.allSettled([...this.files.values()].flat());
    const removals = await Promise.allSettled(this.keys.map((key) => this.options.store.remove(key)));
    return removals.flatMap((removal) => (removal.status === 'rejected' ? [removal.reason as unknown] : []));
  }
}

/** Feeds the request to the parser until it has seen the whole form and every file of it is stored. */
async function feed<FileName extends string, FieldName extends string>(
  request: IncomingMessage,
  upload: Upload<FileName, FieldName>,
  rules: Rules<FileName, FieldName>,
  { idleMs = idleMsDefault, totalMs = totalMsDefault }: UploadOptions,
): Promise<void> {
  const parser = parserOf(request, rules);
  askForBody(request);
  const cleanUp: (() => void)[] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      upload.failed = reject;
      parser.on('field', (name, value, _nameTruncated, truncated) => upload.addField(name, value, truncated));
      parser.on('file', (name, stream, fileName, _coding, type) => upload.addFile(name, stream, fileName, type));
      parser.on('error', () => reject(broken()));
      for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const)
        parser.on(limit, () => reject(tooMany(rules)));
      parser.on('finish', () => {
        upload.form().then(() => resolve(), reject);
      });
      const count = (bytes: number) => (upload.bytes = bytes);
      cleanUp.push(pump(request, parser, { idleMs, totalMs, bytesMax: rules.bytesMax, count }, reject));
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
  {
    idleMs,
    totalMs,
    bytesMax,
    count,
  }: { idleMs: number; totalMs: number; bytesMax: number; count: (bytes: number) => void },
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
    count((bytes += piece.length));
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

function parserOf(request: IncomingMessage, rules: Rules<string, string>): BusboyInstance {
  const type = request.headers['content-type'] ?? '';
  if (!isForm(request)) {
    throw new GatewayError('unsupported_media_type', 'The body must be a form. Send it as multipart/form-data.');
  }
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': type },
      // Files are files whether or not a file name came with them; they are never held in memory.
      isPartAFile: (name, _type, fileName) =>
        rules.fileNamed(name) !== undefined || (fileName !== undefined && rules.fieldNamed(name) === undefined),
      fileHwm: partBytesUnreadMax,
      limits: {
        ...partLimits(rules),
        fieldSize: Math.max(rules.fieldBytesMax, rules.largeFields?.bytesMax ?? 0),
        headerPairs: 32,
        headerSize: 8192,
      },
    });
  } catch (error) {
    throw invalid(undefined, 'Content-Type has no boundary. Let the HTTP client set this header.', error);
  }
}

/** A name of the caller's, if it is one that an error may repeat. */
const shown = (name: string | undefined): string | undefined => (/^[\w.-]{1,64}$/.test(name ?? '') ? name : undefined);

/** One file more than there may be, so that it is met and refused by its name. */
function partLimits({ filesMax }: Rules<string, string>) {
  const files = filesMax + 1;
  return { files, fields: fieldsMax, parts: files + fieldsMax + 5 };
}

const tooLarge = (name: string, bytesMax: number) =>
  new GatewayError('request_too_large', `${name} must not exceed ${bytesMax} bytes.`, { param: name });

const broken = () =>
  invalid(undefined, 'The form is malformed: it ended before its last boundary, or a part has no valid header.');

function tooMany(rules: Rules<string, string>) {
  const { files, fields, parts } = partLimits(rules);
  const most = `${files} files, ${fields} fields and ${parts} parts`;
  return invalid(undefined, `The form has too many parts. The maximum is ${most}.`);
}

const allOf = (names: readonly string[]): string => `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;

const invalid = (param: string | undefined, message: string, cause?: unknown) =>
  new GatewayError('invalid_parameter', message, { cause, ...(param === undefined ? {} : { param }) });

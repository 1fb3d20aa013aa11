/** Reading a blob from S3: a stream that goes on where a connection broke, since what is under a key never changes. */
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { BlobNotFound, BlobStoreFault } from '../blob-store.ts';
import type { S3Connection } from './s3-connection.ts';
import { S3Refusal } from './s3-faults.ts';

/** While a reader waits for bytes; its own pauses don't count. */
const idleMsMax = 30_000;
/** In a row, without a byte in between; with the pauses before them some 12 seconds, in which a server starts again. */
const resumptionsMax = 6;
const pauseMs = 200;

interface Range {
  start: number;
  end: number;
}

/** The contract is `BlobStore.read`. */
export async function readS3(connection: S3Connection, key: string, range?: Range): Promise<Readable> {
  const open = (from: Range) => openRange(connection, key, from);
  const wanted = range ?? { start: 0, end: Infinity };
  const opened = await open(wanted);
  return opened === 'empty' ? Readable.from([]) : new Download(opened, wanted.start, open);
}

interface Opened {
  body: Readable;
  /** Where it ends in the blob. */
  end: number;
}

/** `empty`: the range begins where the blob ends, or later. */
async function openRange(
  { bucket, open }: S3Connection,
  key: string,
  { start, end }: Range,
): Promise<Opened | 'empty'> {
  const range = start === 0 && end === Infinity ? undefined : `bytes=${start}-${end === Infinity ? '' : end - 1}`;
  const request = { Bucket: bucket, Key: key, ...(range !== undefined && { Range: range }) };
  try {
    const {
      Body,
      ContentLength = 0,
      ContentRange,
    } = await open((client) => client.send(new GetObjectCommand(request)));
    if (!(Body instanceof Readable)) throw new TypeError('the S3 server answered without a body');
    Body.on('error', () => undefined); // heard when it is read, if it ever is
    if (range !== undefined && ContentRange === undefined) {
      Body.destroy();
      throw new BlobStoreFault('away', 'no ranges', 'the S3 server answered with the whole of a blob for a part of it');
    }
    return { body: Body, end: start + ContentLength };
  } catch (error) {
    if (!(error instanceof S3Refusal)) throw error;
    if (error.status === 416) return 'empty';
    throw error.status === 404 ? new BlobNotFound('there is no such blob') : error;
  }
}

class Download extends Readable {
  readonly #open: (range: Range) => Promise<Opened | 'empty'>;
  readonly #end: number;
  #at: number;
  #body: Readable;
  #pieces: AsyncIterator<Buffer>;
  /** Since the last byte. */
  #resumptions = 0;

  constructor({ body, end }: Opened, start: number, open: (range: Range) => Promise<Opened | 'empty'>) {
    super();
    this.#open = open;
    this.#at = start;
    this.#end = end;
    this.#body = body;
    this.#pieces = piecesOf(body);
  }

  override _read(): void {
    this.#next().then(
      (piece) => this.push(piece),
      (error: unknown) => this.destroy(error instanceof Error ? error : new Error(String(error))),
    );
  }

  /** Also when its reader loses interest: a body that is not read would keep its connection for good. */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#body.destroy();
    done(error);
  }

  /** Null at the end, which is read too, so that the connection is free for the next request. */
  async #next(): Promise<Buffer | null> {
    for (;;) {
      const piece = await this.#piece();
      if (piece !== undefined) {
        this.#at += piece.length;
        this.#resumptions = 0;
        return piece;
      }
      if (this.#at >= this.#end) return null;
      await this.#resume();
    }
  }

  /** Undefined at the end of this body, whole or not. */
  async #piece(): Promise<Buffer | undefined> {
    const timer = setTimeout(() => this.#body.destroy(), idleMsMax);
    try {
      const next = await this.#pieces.next();
      return next.done === true ? undefined : next.value;
    } catch {
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  async #resume(): Promise<void> {
    if (this.#resumptions === resumptionsMax)
      throw new BlobStoreFault('away', 'broken off', 'the S3 server broke a download off, again and again');
    await pause(pauseMs * 2 ** this.#resumptions++);
    if (this.#isLeft()) return;
    const opened = await this.#open({ start: this.#at, end: this.#end }).catch((error: unknown) => {
      if (error instanceof BlobStoreFault) return undefined; // and once more, after a longer pause
      throw error;
    });
    if (opened === undefined) return;
    if (opened === 'empty') throw new BlobNotFound('the blob has become shorter');
    this.#body = opened.body;
    this.#pieces = piecesOf(opened.body);
    if (this.#isLeft()) opened.body.destroy();
  }

  /** Its reader may leave at any time. */
  #isLeft(): boolean {
    return this.destroyed;
  }
}

function piecesOf(body: Readable): AsyncIterator<Buffer> {
  const pieces: AsyncIterable<Buffer> = body;
  return pieces[Symbol.asyncIterator]();
}

/** Writing a blob to S3: one request for a small one, else a multipart upload, which can't be seen before it is complete. Not with
 * `@aws-sdk/lib-storage`: up to 3.1163, which goes with our client, it leaves parts behind when completing fails, and since it
 * aborts (3.1173) a conflict or a lost answer can't be retried or looked up as `publish-object.ts` does.
 */
import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  type CompletedPart,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { BlobMeter } from '../blob-meter.ts';
import type { StoredBlob } from '../blob-store.ts';
import type { S3Connection } from './s3-connection.ts';
import { type NewObject, newObject, publish } from './publish-object.ts';

/** 10,000 parts are allowed, so 80 GB. In memory are at most one that is sent, one that fills and a copy. */
const partBytes = 8 * 1024 * 1024;
const type = 'application/octet-stream'; // what it is, its row says

/** The contract is `BlobStore.write`. What can't be cleared away, since the server went away, is found by maintenance. */
export async function writeS3(
  connection: S3Connection,
  key: string,
  source: AsyncIterable<Uint8Array>,
  { bytesMax }: { bytesMax: number },
): Promise<StoredBlob> {
  const meter = new BlobMeter(bytesMax);
  const upload = new Upload(connection, key);
  try {
    for await (const piece of source) {
      meter.add(piece);
      await upload.add(piece);
    }
    await upload.finish();
  } catch (error) {
    if (source instanceof Readable) source.destroy();
    await upload.abandon();
    throw error;
  }
  return { key, ...meter.facts() };
}

class Upload {
  readonly #connection: S3Connection;
  readonly #object: NewObject;
  readonly #sent: CompletedPart[] = [];
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #id: string | undefined;
  #sending: Promise<void> = Promise.resolve();

  constructor(connection: S3Connection, key: string) {
    this.#connection = connection;
    this.#object = newObject(connection.bucket, key);
  }

  /** Resolves when more can be taken: one part is on its way while the next one fills. */
  async add(piece: Uint8Array): Promise<void> {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    while (this.#bytes > partBytes) {
      // All parts but the last one are alike, which some servers insist on. A copy of the rest, or it would keep the whole.
      const whole = Buffer.concat(this.#pieces);
      const rest = Buffer.from(whole.subarray(partBytes));
      [this.#pieces, this.#bytes] = [[rest], rest.length];
      await this.#sending;
      this.#send(whole.subarray(0, partBytes));
    }
  }

  /** Resolves when all of it is durable and can be seen under its key. */
  async finish(): Promise<void> {
    const last = Buffer.concat(this.#pieces);
    await this.#sending;
    if (this.#id === undefined) {
      const put = { ...this.#object, Body: last, ContentType: type, IfNoneMatch: '*' };
      const request = new PutObjectCommand(put);
      await publish(this.#connection, this.#object, (client, options) => client.send(request, options));
      return;
    }
    this.#send(last);
    await this.#sending;
    const whole = { ...this.#upload(this.#id), MultipartUpload: { Parts: this.#sent }, IfNoneMatch: '*' };
    const request = new CompleteMultipartUploadCommand(whole);
    await publish(this.#connection, this.#object, (client, options) => client.send(request, options));
  }

  /** Leaves nothing behind, as far as the server can be asked: the error before that is the one to report. */
  async abandon(): Promise<void> {
    await this.#sending.catch(() => undefined); // else its part would come after the end
    if (this.#id === undefined) return;
    const request = new AbortMultipartUploadCommand(this.#upload(this.#id));
    await this.#connection.send((client, options) => client.send(request, options)).catch(() => undefined);
  }

  #send(part: Buffer): void {
    this.#sending = this.#sendPart(part);
    this.#sending.catch(() => undefined); // the next one that awaits it gets the error
  }

  async #sendPart(part: Buffer): Promise<void> {
    const { send } = this.#connection;
    this.#id ??= await this.#begin();
    const PartNumber = this.#sent.length + 1;
    const request = new UploadPartCommand({ ...this.#upload(this.#id), PartNumber, Body: part });
    const { ETag } = await send((client, options) => client.send(request, options));
    this.#sent.push({ PartNumber, ETag });
  }

  async #begin(): Promise<string> {
    const request = new CreateMultipartUploadCommand({ ...this.#object, ContentType: type });
    const { UploadId } = await this.#connection.send((client, options) => client.send(request, options));
    if (UploadId === undefined) throw new Error('the S3 server began an upload without an id');
    return UploadId;
  }

  #upload(UploadId: string) {
    const { Bucket, Key } = this.#object;
    return { Bucket, Key, UploadId };
  }
}

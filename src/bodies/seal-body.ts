/**
 * Bodies as they lie in the blob store: compressed, and encrypted with AES-256-GCM under a key of their account, which is
 * derived from the operator's secret. Account, request and id are authenticated with them, so that no body passes for another.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import * as z from 'zod';
import { bodyKinds, type BodyText } from './redact-text.ts';

/** The part of the derived keys that bodies need: the first seals, all open. */
export interface BodyKeys {
  first: BodyKey;
  all: readonly BodyKey[];
}
export interface BodyKey {
  /** Names the operator's secret, in 16 hexadecimal digits; may be shown. */
  id: string;
  bodies: Buffer;
}

/** What belongs to a body, and is authenticated with it. */
export interface BodyPlace {
  account: string;
  requestId: string;
  id: string;
}

/** Null where there was none. */
export interface Bodies {
  request: BodyText | null;
  answer: BodyText | null;
}

/** The operator's secret that this body was sealed under is no longer set. */
export class BodySecretGone extends Error {
  override readonly name = 'BodySecretGone';
}

const algorithm = 'aes-256-gcm';
const keyIdBytes = 8;
// 96 random bits: 2^32 bodies of one account repeat one with a chance of one in 2^33.
const nonceBytes = 12;
const tagBytes = 16;
/** Twice the largest bound with all characters escaped: what opens to more was not made here. */
const openedBytesMax = 128 * 1024 * 1024;

/** Seals under the first secret: its id, a nonce, the encrypted bytes and their tag. */
export async function sealBodies(keys: BodyKeys, place: BodyPlace, bodies: Bodies): Promise<Buffer> {
  const packed = await promisify(gzip)(JSON.stringify(bodies));
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, keyOf(keys.first, place), nonce, { authTagLength: tagBytes });
  cipher.setAAD(placeBytes(place));
  const sealed = Buffer.concat([cipher.update(packed), cipher.final()]);
  return Buffer.concat([Buffer.from(keys.first.id, 'hex'), nonce, sealed, cipher.getAuthTag()]);
}

/** Opens what was sealed for this place. Throws `BodySecretGone`, or an error where it was changed or is another's. */
export async function openBodies(keys: BodyKeys, place: BodyPlace, blob: Buffer): Promise<Bodies> {
  const id = blob.subarray(0, keyIdBytes).toString('hex');
  const key = keys.all.find((one) => one.id === id);
  if (!key) throw new BodySecretGone(`sealed under the operator's secret ${id}, which is no longer set`);
  const sealedAt = keyIdBytes + nonceBytes;
  const decipher = createDecipheriv(algorithm, keyOf(key, place), blob.subarray(keyIdBytes, sealedAt), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(placeBytes(place));
  decipher.setAuthTag(blob.subarray(-tagBytes));
  const packed = Buffer.concat([decipher.update(blob.subarray(sealedAt, -tagBytes)), decipher.final()]);
  const opened = await promisify(gunzip)(packed, { maxOutputLength: openedBytesMax });
  return bodiesForm.parse(JSON.parse(opened.toString()));
}

const keyOf = ({ bodies }: BodyKey, { account }: BodyPlace): Buffer =>
  Buffer.from(hkdfSync('sha256', bodies, '', `tollgate/v1/bodies/${account}`, 32));
const placeBytes = ({ account, requestId, id }: BodyPlace): Buffer =>
  Buffer.from(JSON.stringify([account, requestId, id]));

// Those that were sealed before forms and files were kept have no kind.
const kind = z.enum(bodyKinds).default('text');
const text = z.object({ text: z.string(), bytes: z.int(), cut: z.boolean(), kind }).nullable();
const bodiesForm = z.object({ request: text, answer: text });

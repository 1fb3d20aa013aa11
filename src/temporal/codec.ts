/**
 * Encrypted payloads: what workflows and activities hand each other, summaries and failures reach Temporal as AES-256-GCM.
 * Off without TEMPORAL_CODEC_KEYS. Its first key encrypts, all of them decrypt, and what was written before it was switched
 * on passes as it is, so keys can change while tasks run. Search attributes are never encrypted: Temporal searches them.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { DataConverter, Payload, PayloadCodec } from '@temporalio/common';
import { ValueError } from '@temporalio/common';
import type { CodecKey } from '../config/codec-keys.ts';

const algorithm = 'aes-256-gcm';
// 96 random bits: after 2^32 payloads under one key the chance of a repetition is one in 2^33.
const nonceBytes = 12;
const tagBytes = 16;
/** Of Temporal's own samples, so that its tools know what they see. */
const encrypted = 'binary/encrypted';
const keyId = 'encryption-key-id';

/** The failures of the built program's own folder, wherever this very file runs from. */
const failureConverterPath = fileURLToPath(new URL('../../dist/temporal/failure-converter.js', import.meta.url));

/** What clients and workers are made with; nothing where there are no keys. */
export const dataConverterOf = (keys: readonly CodecKey[] | undefined): { dataConverter?: DataConverter } =>
  keys === undefined ? {} : { dataConverter: { payloadCodecs: [payloadCodec(keys)], failureConverterPath } };

/** Encrypts with the first key. Decrypting raises a ValueError that names the key which is missing, or which doesn't fit. */
export function payloadCodec(keys: readonly CodecKey[]): PayloadCodec {
  const [first] = keys;
  if (!first) throw new RangeError('a codec without keys');
  const byId = new Map(keys.map(({ id, key }) => [id, key]));
  return {
    encode: (payloads) => Promise.resolve(payloads.map((payload) => sealed(payload, first))),
    // Async, so that what is thrown rejects.
    decode: async (payloads) => Promise.resolve(payloads.map((payload) => opened(payload, byId))),
  };
}

function sealed(payload: Payload, { id, key }: CodecKey): Payload {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(id));
  const text = Buffer.concat([cipher.update(packed(payload)), cipher.final()]);
  return {
    metadata: { encoding: Buffer.from(encrypted), [keyId]: Buffer.from(id) },
    data: Buffer.concat([nonce, text, cipher.getAuthTag()]),
  };
}

function opened(payload: Payload, keys: ReadonlyMap<string, Buffer>): Payload {
  const { metadata, data } = payload;
  if (textOf(metadata?.['encoding']) !== encrypted) return payload;
  const id = textOf(metadata?.[keyId]);
  const key = keys.get(id);
  if (!key) {
    const known = [...keys.keys()].join(', ');
    throw new ValueError(`TEMPORAL_CODEC_KEYS: the key '${id}' that encrypted this is missing; available: ${known}`);
  }
  const bytes = Buffer.from(data ?? []);
  try {
    const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
    decipher.setAAD(Buffer.from(id));
    decipher.setAuthTag(bytes.subarray(-tagBytes));
    return unpacked(Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]));
  } catch (cause) {
    throw new ValueError(
      `TEMPORAL_CODEC_KEYS: the key '${id}' does not decrypt this: it is not the key that encrypted it, or the data was changed`,
      cause,
    );
  }
}

/** Its metadata as JSON behind the length of that, then its data. */
function packed({ metadata, data }: Payload): Buffer {
  const facts = Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString('base64')]);
  const head = Buffer.from(JSON.stringify(Object.fromEntries(facts)));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(head.length);
  return Buffer.concat([length, head, data ?? Buffer.alloc(0)]);
}

function unpacked(bytes: Buffer): Payload {
  const end = 4 + bytes.readUInt32BE(0);
  const facts: unknown = JSON.parse(bytes.subarray(4, end).toString());
  if (typeof facts !== 'object' || facts === null) throw new TypeError('no metadata');
  const metadata = Object.entries(facts).map(([name, value]) => [name, Buffer.from(String(value), 'base64')] as const);
  return { metadata: Object.fromEntries(metadata), data: bytes.subarray(end) };
}

const textOf = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString();

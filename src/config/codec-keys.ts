/** `TEMPORAL_CODEC_KEYS`: the keys of encrypted payloads, `<id>:<base64 of 32 bytes>`, separated by commas. */
import { z } from 'zod';

export interface CodecKey {
  /** Stands beside what it encrypted. */
  id: string;
  key: Buffer;
}

const keyBytes = 32;
const rule = `must be one or more keys <id>:<base64 of ${keyBytes} bytes>, separated by commas, with unique ids of A-Z, a-z, 0-9, ., _ and -`;

/** The first encrypts, all decrypt. What was given is in no message. */
export function codecKeyList() {
  return z.string().transform((text, context): readonly CodecKey[] => {
    const keys = text.split(',').map((each) => keyOf(each.trim()));
    const whole = keys.filter((key) => key !== undefined);
    if (whole.length === keys.length && new Set(whole.map(({ id }) => id)).size === keys.length) return whole;
    context.addIssue(rule);
    return z.NEVER;
  });
}

function keyOf(text: string): CodecKey | undefined {
  const [, id, encoded] = /^([A-Za-z0-9._-]{1,64}):([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  if (id === undefined || encoded === undefined) return undefined;
  const key = Buffer.from(encoded, 'base64');
  return key.length === keyBytes ? { id, key } : undefined;
}

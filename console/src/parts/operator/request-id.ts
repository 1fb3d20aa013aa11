/** The id that a form gives itself, by which the server carries it out once however often it is sent. */
import { randomHex } from '../random-hex.ts';

/** A random UUID. */
export function newRequestId(): string {
  const hex = randomHex();
  const variant = ((parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** Ids that the page makes itself, so that it knows them before any answer has come. */

/** Found in the ledger as the id of the request. */
export const newRequestId = (): string => `play-${randomHex()}`;
export const newIdempotencyKey = (): string => `play-${randomHex()}`;

/** Browsers have `crypto.randomUUID` on https and localhost only. */
const randomHex = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

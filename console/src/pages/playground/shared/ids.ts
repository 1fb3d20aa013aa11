/** Ids that the page makes itself, so that it knows them before any answer has come. */
import { randomHex } from '../../../parts/random-hex.ts';

/** Found in the ledger as the id of the request. */
export const newRequestId = (): string => `play-${randomHex()}`;
export const newIdempotencyKey = (): string => `play-${randomHex()}`;

/** Ids of requests: `req_` and a UUIDv7, which begins with when it was made (RFC 9562, 5.7), unless the caller sent one. */

const ownLength = 36;

/** When an id of the gateway's form was made, in Unix milliseconds; not a number for what a caller made up. */
const madeAtMs = (id: string): number =>
  id.length === ownLength && id.startsWith('req_') ? Number.parseInt(id.slice(4, 16), 16) : Number.NaN;

/** More than ever lies between a request and its id, unless a clock was set right meanwhile or a caller sent the id again. */
const awayMsMax = 30_000;

/** Between which moments a request came if its id was made for it; undefined: the id does not say. */
export function spanOfRequestId(id: string): { from: Date; to: Date } | undefined {
  const at = madeAtMs(id);
  return Number.isNaN(at) ? undefined : { from: new Date(at - awayMsMax), to: new Date(at + awayMsMax) };
}

/** Whether a request that came then is within the span of its id. */
export const isWithinSpan = (id: string, cameAt: Date): boolean =>
  Math.abs(cameAt.getTime() - madeAtMs(id)) <= awayMsMax;

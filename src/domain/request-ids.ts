/** Ids of requests: `req_` and a UUIDv7, which begins with when it was made (RFC 9562, 5.7), unless the caller sent one. */

const ownForm = /^req_([0-9a-f]{12})7[0-9a-f]{3}[89ab][0-9a-f]{15}$/;

/** When an id of the gateway's form was made, in Unix milliseconds; undefined for what a caller made up. */
function madeAtMs(id: string): number | undefined {
  const moment = ownForm.exec(id)?.[1];
  return moment === undefined ? undefined : Number.parseInt(moment, 16);
}

/** More than ever lies between a request and its id, unless a clock was set right meanwhile or a caller sent the id again. */
const awayMsMax = 30_000;

/** Between which moments a request came if its id was made for it; undefined: the id does not say. */
export function spanOfRequestId(id: string): { from: Date; to: Date } | undefined {
  const at = madeAtMs(id);
  return at === undefined ? undefined : { from: new Date(at - awayMsMax), to: new Date(at + awayMsMax) };
}

/** Whether a request that came then is within the span of its id. */
export function isWithinSpan(id: string, cameAt: Date): boolean {
  const at = madeAtMs(id);
  return at !== undefined && Math.abs(cameAt.getTime() - at) <= awayMsMax;
}

/** Keeps a record of each call that came with a key, refused ones too, when its answer is over; its bodies only if wanted. */
import { Stream } from 'node:stream';
import type { ApiKey } from '../../accounts/api-keys.ts';
import { isObject } from '../../domain/json/json-object.ts';
import { keepable } from '../../domain/text.ts';
import type { BodyRecorder } from '../../bodies/body-recorder.ts';
import type { BodyTap } from '../../bodies/body-tap.ts';
import type { CallRecord } from '../../request-records/call-record.ts';
import type { RequestRecorder } from '../../request-records/request-recorder.ts';
import type { RequestRecord } from '../../request-records/request-record.ts';
import type { ApiContext } from '../context.ts';
import { wasSentWhole } from '../server/caller-left.ts';
import { TimedResponse } from '../server/timed-response.ts';
import type { Watcher } from './when-over.ts';

/**
 * Reads that succeed are left out: callers poll for their tasks, which would bury the calls. What a call costs is booked
 * after its answer, and waited for.
 */
export const recorded =
  (recorder: Pick<RequestRecorder, 'add'>, bodyRecorder: Pick<BodyRecorder, 'add'>): Watcher =>
  (ctx) => {
    const { res, path } = ctx; // a router takes its prefix off the path
    return () => {
      const { key, call, bodies, isUnrecorded } = ctx.state;
      if (key === undefined || isUnrecorded === true || isPlainRead(ctx) || !(res instanceof TimedResponse)) return;
      const latencyMs = performance.now() - res.arrivedAtMs;
      if (bodies) addBodies(bodyRecorder, ctx, res, { key, tap: bodies });
      // The handler has said by now what the call will cost.
      addBooked(recorder, call, recordOf(ctx, res, { key, path, latencyMs }));
    };
  };

/**
 * Adds a record once its call is booked, which others may keep waiting. Apart, since a closure in the middleware would keep
 * the whole request meanwhile: what waits through two collections of new objects is copied to the old ones.
 */
function addBooked(
  recorder: Pick<RequestRecorder, 'add'>,
  call: ApiContext['state']['call'],
  record: RequestRecord,
): void {
  const add = () => recorder.add(call ? withCost(record, call) : record);
  if (call?.booked) void call.booked.then(add);
  else add();
}

/** In place: nothing else has the record yet. */
const withCost = (
  record: RequestRecord,
  { inputTokens, cachedInputTokens, outputTokens, cost }: CallRecord,
): RequestRecord => Object.assign(record, { inputTokens, cachedInputTokens, outputTokens, cost });

/** What was answered past Koa was tapped on its way; of all else there is the body, unless it is a file. */
function addBodies(
  recorder: Pick<BodyRecorder, 'add'>,
  ctx: ApiContext,
  { arrivedAtMs }: Pick<TimedResponse, 'arrivedAtMs'>,
  { key, tap }: { key: ApiKey; tap: BodyTap },
): void {
  const answer: unknown = ctx.respond === false ? undefined : ctx.body;
  if (typeof answer === 'string') tap.takeAnswer(Buffer.from(answer));
  else if (isObject(answer) && !(answer instanceof Stream) && !ArrayBuffer.isView(answer))
    tap.takeAnswer(Buffer.from(JSON.stringify(answer)));
  recorder.add({
    ...{ accountId: key.accountId, requestId: ctx.state.requestId },
    ...{ createdAt: momentOf(arrivedAtMs), tap },
  });
}

const isPlainRead = ({ method, status }: ApiContext): boolean =>
  (method === 'GET' || method === 'HEAD') && status < 400;

/** Longer ones are no path of the API, and no name that helps. */
const textMax = 256;
/** As web servers log a caller that left before its answer. */
const callerLeft = 499;

/** In one piece: spreading parts of it cost a call 1.5 % of its CPU time. */
function recordOf(
  ctx: ApiContext,
  res: Pick<TimedResponse, 'arrivedAtMs' | 'headAtMs' | 'headersSent' | 'statusCode'>,
  { key, path, latencyMs }: { key: ApiKey; path: string; latencyMs: number },
): RequestRecord {
  const { requestId, model, taskId, endUser, tag, code, call, personId } = ctx.state;
  const firstAtMs = call?.isStream === true && res.headAtMs !== 0 ? call.times.firstAtMs : 0;
  const attempts = call?.attempts;
  return {
    createdAt: momentOf(res.arrivedAtMs),
    accountId: key.accountId,
    keyId: key.id,
    requestId,
    method: ctx.method,
    path: shortened(personId === undefined ? path : path.replace(playgroundPrefix, '')),
    model,
    status: res.headersSent ? res.statusCode : callerLeft,
    code: code ?? (call?.isBroken ? 'upstream_error' : wasSentWhole(ctx) ? undefined : 'client_disconnected'),
    latencyMs: Math.round(latencyMs),
    firstTokenMs: firstAtMs === 0 ? undefined : Math.round(firstAtMs - res.arrivedAtMs),
    isStream: call?.isStream === true,
    provider: attempts?.at(-1)?.provider,
    attempts: attempts?.some(({ fault }) => fault !== undefined) ? attempts : undefined,
    inputTokens: undefined, // known once the call is booked
    cachedInputTokens: undefined,
    outputTokens: undefined,
    cost: undefined,
    taskId,
    endUser,
    tag,
    client: personId === undefined ? clientOf(ctx.req.headers['user-agent']) : 'Playground',
  };
}

/** The clock's time at 0 of `performance.now()`. */
let originMs = performance.timeOrigin;
/** Whole milliseconds and what passes between two readings make less. */
const driftMsMax = 10;

/**
 * When something was by `performance.now()`: of two requests one after another, the later one is never shown as the
 * earlier, as it would be by the clock less a latency. It follows a clock that is set right.
 */
function momentOf(atMs: number): Date {
  const driftMs = Date.now() - performance.now() - originMs;
  if (Math.abs(driftMs) > driftMsMax) originMs += driftMs;
  return new Date(originMs + atMs);
}

const playgroundPrefix = /^\/console\/api\/accounts\/[^/]+/;

/** The first products that a User-Agent names, such as `OpenAI/Python 1.2.3`; without what stands in brackets. */
function clientOf(userAgent: string | undefined): string | undefined {
  if (userAgent === undefined) return undefined;
  const end = userAgent.search(/[(;]/);
  return shortened((end === -1 ? userAgent : userAgent.slice(0, end)).trim()) || undefined;
}

const shortened = (text: string): string => keepable(text.length > textMax ? text.slice(0, textMax) : text);

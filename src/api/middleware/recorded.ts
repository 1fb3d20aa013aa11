/** Keeps a record of each call that came with a key, refused ones too, when its answer is over. */
import { keepable } from '../../domain/text.ts';
import type { CallRecord } from '../../request-records/call-record.ts';
import type { RequestRecorder } from '../../request-records/request-recorder.ts';
import type { RequestRecord } from '../../request-records/write-requests.ts';
import type { ApiContext, ApiMiddleware } from '../context.ts';
import { wasSentWhole } from '../server/caller-left.ts';
import { TimedResponse } from '../server/timed-response.ts';

/**
 * Reads that succeed are left out: callers poll for their tasks, which would bury the calls. What a call costs is booked
 * after its answer, and waited for.
 */
export const recorded =
  (recorder: Pick<RequestRecorder, 'add'>): ApiMiddleware =>
  async (ctx, next) => {
    const { res, path } = ctx; // a router takes its prefix off the path
    const record = () => {
      const { key, call } = ctx.state;
      if (key === undefined || isPlainRead(ctx) || !(res instanceof TimedResponse)) return;
      const { accountId, id: keyId } = key;
      const add = () => recorder.add({ ...recordOf(ctx, res, path), accountId, keyId, ...costsOf(call) });
      if (call?.booked) void call.booked.then(add);
      else add();
    };
    try {
      await next();
    } finally {
      // Both are over: the answer, and the handler, which by then has said what the call will cost.
      if (res.closed) record();
      else res.on('close', record);
    }
  };

const isPlainRead = ({ method, status }: ApiContext): boolean =>
  (method === 'GET' || method === 'HEAD') && status < 400;

/** Longer ones are no path of the API, and no name that helps. */
const textMax = 256;
/** As web servers log a caller that left before its answer. */
const callerLeft = 499;

type Facts = Omit<RequestRecord, 'accountId' | 'keyId' | keyof ReturnType<typeof costsOf>>;

function recordOf(ctx: ApiContext, res: TimedResponse, path: string): Facts {
  const { requestId, model, taskId, endUser, code, call, personId } = ctx.state;
  const latencyMs = performance.now() - res.arrivedAtMs;
  const firstAtMs = call?.isStream === true && res.headAtMs !== 0 ? call.times.firstAtMs : 0;
  const attempts = call?.attempts ?? [];
  const isWhole = wasSentWhole(ctx);
  return {
    createdAt: new Date(Date.now() - latencyMs),
    requestId,
    method: ctx.method,
    path: shortened(personId === undefined ? path : path.replace(playgroundPrefix, '')),
    model,
    status: res.headersSent ? res.statusCode : callerLeft,
    code: code ?? (call?.isBroken ? 'upstream_error' : isWhole ? undefined : 'client_disconnected'),
    latencyMs: Math.round(latencyMs),
    firstTokenMs: firstAtMs === 0 ? undefined : Math.round(firstAtMs - res.arrivedAtMs),
    isStream: call?.isStream === true,
    provider: attempts.at(-1)?.provider,
    attempts: attempts.some(({ fault }) => fault !== undefined) ? attempts : undefined,
    taskId,
    endUser: endUser === undefined ? undefined : shortened(endUser),
    client: personId === undefined ? clientOf(ctx.get('User-Agent')) : 'Playground',
  };
}

const playgroundPrefix = /^\/console\/api\/accounts\/[^/]+/;

const costsOf = (call: CallRecord | undefined) => ({
  inputTokens: call?.inputTokens,
  cachedInputTokens: call?.cachedInputTokens,
  outputTokens: call?.outputTokens,
  cost: call?.cost,
});

/** The first product that a User-Agent names, such as `OpenAI/Python 1.2.3`. */
const clientOf = (userAgent: string): string | undefined =>
  shortened(/^[^(;]*/.exec(userAgent)?.[0].trim() ?? '') || undefined;

const shortened = (text: string): string => keepable(text.length > textMax ? text.slice(0, textMax) : text);

/**
 * How many tokens the input of a message or a response has: by the provider's count where a route has one, else of a message
 * by ours. Costs nothing.
 */
import { maintenanceRefusal } from '../domain/maintenance.ts';
import { ChatUnreachable } from '../domain/chat/unreachable.ts';
import { tokensPerImageMax } from '../domain/chat/estimate.ts';
import { readJson } from '../domain/chat/json-reading.ts';
import { spliceChatBody, splicedNames } from '../domain/chat/splice.ts';
import { isUnreadable } from '../domain/json/json-bounds.ts';
import { passingOf } from '../domain/requests/billed-request.ts';
import type { NamedAddress } from '../domain/requests/named-addresses.ts';
import { countTokensBody, parseCountTokensRequest } from '../domain/requests/messages-request.ts';
import { endpointKinds, modelIdOf, requireKind } from '../domain/requests/parse.ts';
import { parseResponsesRequest } from '../domain/requests/responses-request.ts';
import type { Allowed } from '../domain/requests/unpriced.ts';
import { unpricedMessagesNames } from '../domain/requests/unpriced-messages.ts';
import type { ChatCall } from '../providers/chat-contract.ts';
import type { JsonBody } from '../api/body/json-body.ts';
import { namesOf } from '../api/body/json-names.ts';
import { requestJson } from '../api/body/request-json.ts';
import { type ApiContext, keyOf } from '../api/context.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import { modelFor } from '../api/model-catalogue.ts';
import { endLeft } from '../api/server/caller-left.ts';
import { BoundedBuffer } from './bounded-buffer.ts';
import { checkAddresses, namesOfCall } from './call.ts';
import { CallCancellation, CallCancelled } from './call-cancellation.ts';
import { noSuchEndpoint, type Route, routesOf } from './call-routes.ts';
import { countTokens, inputTextOf } from './count-tokens.ts';
import { CallerFault, RouteFault } from './route-faults.ts';
import { headersFor, SentCall } from './send-call.ts';
import { previousResponse } from './stored-responses.ts';
import { answerUpstreamError } from './upstream-error-answer.ts';

/** Endpoints whose input can be counted. */
export type CountedEndpoint = 'messages' | 'responses';

const countPaths = { messages: 'messages/count_tokens', responses: 'responses/input_tokens' } as const;
const names = {
  messages: new Set([...namesOf(countTokensBody), ...unpricedMessagesNames]),
  responses: namesOfCall['responses/compact'],
};
/** Of a provider's answer, which is a number. */
const answerBytesMax = 64 * 1024;

/** Reads the body, and answers `{"input_tokens":N}` in the endpoint's form. Refuses as the call itself would, but for its limits and balance. */
export async function serveCountTokens(
  deps: ApiDependencies,
  ctx: ApiContext,
  endpoint: CountedEndpoint,
): Promise<void> {
  const { calls } = deps.concurrencyLimits;
  calls.require(); // before the body is read
  const body = await requestJson(deps, ctx, { names: names[endpoint], places: splicedNames });
  calls.acquire();
  try {
    await answerCount(deps, ctx, endpoint, body);
  } finally {
    calls.release();
  }
}

async function answerCount(
  deps: ApiDependencies,
  ctx: ApiContext,
  endpoint: CountedEndpoint,
  body: JsonBody,
): Promise<void> {
  const model = modelFor(keyOf(ctx), deps.configuration, modelIdOf(body.value));
  ctx.state.model = model.id;
  requireKind(model, endpointKinds[endpoint]);
  const { price } = model;
  if (price.unit !== 'token') throw new TypeError(`${model.id} has no price of a call`);
  const { addresses, ownCount, previousResponseId } = inputOf(
    endpoint,
    body.value,
    passingOf(price, model.allow, body.value),
  );
  checkAddresses(deps, addresses);
  const refusal = maintenanceRefusal(model.id, model.maintenance, new Date());
  if (refusal) throw refusal;
  const cancellation = new CallCancellation();
  if (ctx.res.closed) cancellation.cancel('client_disconnected');
  else ctx.res.once('close', () => cancellation.cancel('client_disconnected'));
  try {
    const previous = await previousResponse(
      deps,
      { account: keyOf(ctx).accountId, model: model.id },
      { previousResponseId },
    );
    const routes = routesOf(deps, { model, endpoint }, previous?.provider).filter(
      (route) => route.endpoint === endpoint,
    );
    const counted = await firstCount(routes, (route) => askRoute(deps, ctx, route, body, cancellation));
    const input_tokens = counted ?? (await ownCount?.());
    if (input_tokens === undefined) throw noSuchEndpoint(model.id);
    ctx.body = endpoint === 'responses' ? { object: 'response.input_tokens', input_tokens } : { input_tokens };
  } catch (error) {
    if (error instanceof CallCancelled) endLeft(ctx);
    else if (error instanceof CallerFault) answerUpstreamError(ctx, error);
    else throw error;
  }
}

/** Undefined where no route can count: some vendors have messages without it. */
async function firstCount(
  routes: readonly Route[],
  ask: (route: Route) => Promise<number | undefined>,
): Promise<number | undefined> {
  for (const route of routes) {
    try {
      const count = await ask(route);
      if (count !== undefined) return count;
    } catch (error) {
      if (!(error instanceof RouteFault || error instanceof ChatUnreachable || isUnreadable(error))) throw error;
    }
  }
  return undefined;
}

async function askRoute(
  deps: ApiDependencies,
  ctx: ApiContext,
  { provider, endpoint, model }: Route,
  { bytes, members }: JsonBody,
  cancellation: CallCancellation,
): Promise<number | undefined> {
  if (cancellation.reason !== undefined) throw new CallCancelled();
  const call: ChatCall = {
    method: 'POST',
    path: countPaths[endpoint === 'messages' ? 'messages' : 'responses'],
    body: spliceChatBody(bytes, { model, includeUsage: false }, members),
    stream: false,
    requestId: ctx.state.requestId,
    headers: headersFor(endpoint, ctx),
  };
  const answer = await readAnswer(new SentCall(provider, call, deps.configuration), cancellation);
  const count = readJson(answer, ['input_tokens'])?.value('input_tokens');
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

/** Rejects as `AnswerReader.onFailure` has it, or with `CallCancelled`. */
function readAnswer(sent: SentCall, cancellation: CallCancellation): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const body = new BoundedBuffer(answerBytesMax);
    cancellation.onCancel(() => {
      sent.abort();
      reject(new CallCancelled());
    });
    sent.readBy({
      onSuccess: () => undefined,
      onData: (chunk) => {
        if (body.add(chunk)) return;
        sent.abort();
        reject(new RouteFault('fault', 'its answer is too large'));
      },
      onEnd: () => resolve(body.joined()),
      onFailure: reject,
    });
  });
}

interface CountedInput {
  addresses: readonly NamedAddress[];
  previousResponseId?: string | undefined;
  /** Where the gateway counts what no route does. */
  ownCount?: () => Promise<number>;
}

function inputOf(endpoint: CountedEndpoint, body: unknown, allowed: Allowed): CountedInput {
  if (endpoint === 'responses') {
    const { urls, fileUrls, previousResponseId } = parseResponsesRequest(body, allowed, { mayLackInput: true });
    return { addresses: [...urls, ...fileUrls], previousResponseId };
  }
  const { images, imageUrls, documentUrls } = parseCountTokensRequest(body, allowed);
  const imageTokens = (images + imageUrls.length) * tokensPerImageMax;
  const ownCount = async () => (await countTokens(inputTextOf(body))) + imageTokens;
  return { addresses: [...imageUrls, ...documentUrls], ownCount };
}

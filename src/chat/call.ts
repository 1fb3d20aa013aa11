/** A chat or responses call as it was read: what every later step needs of it. */
import type { Model, TokenPrice } from '../domain/catalogue.ts';
import { estimatedInputTokens } from '../domain/chat/estimate.ts';
import type { JsonMembers } from '../domain/chat/json-members.ts';
import { splicedNames } from '../domain/chat/splice.ts';
import type { MicroYuan } from '../domain/money.ts';
import { type TokenLine, tokensBound } from '../domain/billing/pricing.ts';
import type { NamedAddress } from '../domain/requests/named-addresses.ts';
import { chatBody, parseChatRequest } from '../domain/requests/chat-request.ts';
import { endpointKinds, modelIdOf, requireKind } from '../domain/requests/parse.ts';
import { parseResponsesRequest, responsesBody } from '../domain/requests/responses-request.ts';
import { type Allowed, unpricedTopNames } from '../domain/requests/unpriced.ts';
import type { ChatEndpoint } from '../providers/chat-contract.ts';
import type { JsonBody } from '../api/body/json-body.ts';
import { namesOf } from '../api/body/json-names.ts';
import { requestJson } from '../api/body/request-json.ts';
import { modelFor } from '../api/model-catalogue.ts';
import { type ApiContext, keyOf } from '../api/context.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import { fingerprintOf, idempotencyKeyOf } from '../api/idempotency-key.ts';
import { priceVersionOf } from '../api/price-version.ts';

export interface Call {
  endpoint: ChatEndpoint;
  model: Model;
  price: TokenPrice;
  priceVersion: string;
  /** As it came. It is forwarded with another model id, and a stream asks for its usage; what it says is parsed again where it is needed. */
  bytes: Buffer;
  /** Where the members are that change on the way; found when the body was read. */
  members: JsonMembers | undefined;
  /** What its Idempotency-Key is bound to, if it has one. */
  bodyHash: Buffer | undefined;
  stream: boolean;
  /** How many replies the caller asked for (`n`). */
  choices: number;
  /** Whether the caller asked for the usage chunk of a chat stream. */
  includeUsage: boolean;
  /** A response of the same account that this one continues. */
  previousResponseId: string | undefined;
  estimatedInput: number;
  /** The most output of all replies together. */
  outputMax: number;
  /** The upstream reads more than came with the call, and how much of it is not known. */
  readsUnknown: boolean;
}

/** A call with the most that it can use and cost. */
export interface BoundedCall extends Call {
  bound: { lines: readonly TokenLine[]; total: MicroYuan };
}

const outputTokensDefault = 4_096;

/** Reads and checks a call; nothing is held yet. Refuses with a code of the error table. */
export async function readCall(deps: ApiDependencies, ctx: ApiContext, endpoint: ChatEndpoint): Promise<BoundedCall> {
  const body = await requestJson(deps, ctx, { names: namesOfCall[endpoint], places: splicedNames });
  ctx.state.bodyMs = body.tookMs;
  const call = callOf(deps, ctx, endpoint, body);
  if (idempotencyKeyOf(ctx) !== undefined)
    call.bodyHash = fingerprintOf({ kind: call.endpoint, fingerprint: body.value });
  // From here on the bytes are enough: parsed, a body takes up to fifteen times as much, and a call may last for an hour.
  ctx.state.bodyRoom?.give(body.valueBytes);
  return call;
}

/** The names that are read at the top of a body. */
export const namesOfCall: Readonly<Record<ChatEndpoint, ReadonlySet<string>>> = {
  'chat/completions': new Set([...namesOf(chatBody), ...unpricedTopNames]),
  responses: new Set([...namesOf(responsesBody), ...unpricedTopNames]),
};

/** The call that a body asks for, checked. */
export function callOf(
  deps: ApiDependencies,
  ctx: ApiContext,
  endpoint: ChatEndpoint,
  { bytes, value: body, members }: Pick<JsonBody, 'bytes' | 'value'> & Partial<Pick<JsonBody, 'members'>>,
): BoundedCall {
  const model = modelFor(keyOf(ctx), deps.configuration, modelIdOf(body));
  ctx.state.model = model.id;
  requireKind(model, endpoint === 'responses' ? endpointKinds.responses : endpointKinds.chat);
  const facts = factsOf(endpoint, body, model.allow);
  checkAddresses(deps, facts.addresses);
  checkAddresses(deps, facts.otherAddresses);
  const { price } = model;
  if (price.unit !== 'token') throw new TypeError(`${model.id} has no price per token`);
  const { addresses } = facts;
  const estimatedInput = estimatedInputTokens(bytes.length, dataUriBytesOf(addresses), addresses.length);
  const modelMax = model.limits.maxOutputTokens;
  const output = Math.min(facts.maxOutputTokens ?? modelMax ?? outputTokensDefault, modelMax ?? Infinity);
  return {
    endpoint,
    model,
    price,
    priceVersion: priceVersionOf(price),
    bytes,
    members,
    bodyHash: undefined,
    stream: facts.stream,
    choices: facts.choices,
    includeUsage: facts.includeUsage,
    previousResponseId: facts.previousResponseId,
    estimatedInput,
    outputMax: output * facts.choices,
    readsUnknown: facts.otherAddresses.length > 0,
    bound: tokensBound(price, { input: estimatedInput, output: output * facts.choices }),
  };
}

/**
 * A call that continues a response: the upstream counts all that was said before as its input, too, so that is held as
 * well. `contextTokens` is undefined where the upstream never reported it.
 */
export function continuedCall(call: BoundedCall, contextTokens: number | undefined): BoundedCall {
  if (contextTokens === undefined) return { ...call, readsUnknown: true };
  const input = call.estimatedInput + contextTokens;
  return { ...call, bound: tokensBound(call.price, { input, output: call.outputMax }) };
}

/** What a body asks for, of either endpoint. */
interface BodyFacts {
  stream: boolean;
  choices: number;
  includeUsage: boolean;
  maxOutputTokens: number | undefined;
  /** Of images, or data URIs of images. */
  addresses: readonly NamedAddress[];
  /** Of files and the like, which may be of any length. */
  otherAddresses: readonly NamedAddress[];
  previousResponseId: string | undefined;
}

function factsOf(endpoint: ChatEndpoint, body: unknown, allowed: Allowed): BodyFacts {
  if (endpoint === 'responses') {
    const { stream, maxOutputTokens, urls, fileUrls, previousResponseId } = parseResponsesRequest(body, allowed);
    const addresses = { addresses: urls, otherAddresses: fileUrls };
    return { stream, choices: 1, includeUsage: false, maxOutputTokens, ...addresses, previousResponseId };
  }
  const { stream, n, includeUsage, maxOutputTokens, imageUrls, otherUrls } = parseChatRequest(body, allowed);
  const addresses = { addresses: imageUrls, otherAddresses: otherUrls };
  return { stream, choices: n, includeUsage, maxOutputTokens, ...addresses, previousResponseId: undefined };
}

/** Addresses as they are written, without a look-up: it is the upstream that fetches them. */
function checkAddresses({ guard }: ApiDependencies, addresses: readonly NamedAddress[]): void {
  for (const { url, param } of addresses) if (!isDataUri(url)) guard.checkWritten(url, param);
}

const isDataUri = (url: string): boolean => url.startsWith('data:');
const dataUriBytesOf = (addresses: readonly NamedAddress[]): number =>
  addresses.reduce((sum, { url }) => (isDataUri(url) ? sum + url.length : sum), 0);

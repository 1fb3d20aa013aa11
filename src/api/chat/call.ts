/** A chat or responses call, read and admitted: what every later step needs of it. */
import type { Model } from '../../domain/catalogue.ts';
import { estimatedInputTokens } from '../../domain/chat/estimate.ts';
import { GatewayError } from '../../domain/errors.ts';
import type { MicroYuan } from '../../domain/money.ts';
import { tokensBound, type TokenPrice } from '../../domain/pricing.ts';
import type { NamedAddress } from '../../domain/requests/addresses.ts';
import { parseChatRequest } from '../../domain/requests/chat.ts';
import { endpointKinds, modelIdOf, requireKind } from '../../domain/requests/parse.ts';
import { parseResponsesRequest } from '../../domain/requests/responses.ts';
import type { ChatEndpoint } from '../../providers/chat-contract.ts';
import type { CallAdmission, CallHold } from '../../storage/ledger/calls.ts';
import { readJsonBody } from '../body/json-body.ts';
import { modelFor } from '../catalogue.ts';
import { type ApiContext, keyOf } from '../context.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { fingerprintOf, idempotencyKeyOf } from '../idempotency-key.ts';
import { priceVersionOf } from '../price-version.ts';
import { showRate } from '../middleware/authenticated.ts';

export interface Call {
  endpoint: ChatEndpoint;
  model: Model;
  price: TokenPrice;
  priceVersion: string;
  /** As it came; forwarded but for the model's id and the wish for usage. */
  bytes: Buffer;
  body: unknown;
  stream: boolean;
  /** How many replies the caller asked for (`n`). */
  choices: number;
  /** Whether the caller asked for the usage chunk of a chat stream. */
  includeUsage: boolean;
  /** A response of the same account that this one goes on from. */
  previousResponseId: string | undefined;
  estimatedInput: number;
}

const output_tokens_default = 4_096;

/** Reads and checks a call; nothing is held yet. Refuses with the contract's codes in its order. */
export async function readCall(
  deps: ApiDependencies,
  ctx: ApiContext,
  endpoint: ChatEndpoint,
): Promise<Call & { hold: MicroYuan }> {
  const { bytes, value: body } = await readJsonBody(ctx.req, { bytesMax: deps.configuration.limits.jsonBytes });
  const model = modelFor(keyOf(ctx), deps.configuration, modelIdOf(body));
  ctx.state.model = model.id;
  requireKind(model, endpoint === 'responses' ? endpointKinds.responses : endpointKinds.chat);
  const facts = factsOf(endpoint, body);
  checkAddresses(deps, facts.addresses);
  const { price } = model;
  if (price.unit !== 'token') throw new TypeError(`${model.id} has no price per token`);
  const estimatedInput = estimatedInputTokens(bytes.length, facts.dataUriBytes, facts.addresses.length);
  const modelMax = model.limits.maxOutputTokens;
  const output = Math.min(facts.maxOutputTokens ?? modelMax ?? output_tokens_default, modelMax ?? Infinity);
  return {
    endpoint,
    model,
    price,
    priceVersion: priceVersionOf(price),
    bytes,
    body,
    stream: facts.stream,
    choices: facts.n,
    includeUsage: facts.includeUsage,
    previousResponseId: facts.previousResponseId,
    estimatedInput,
    hold: tokensBound(price, { input: estimatedInput, output: output * facts.n }),
  };
}

/** Holds the most that the call can cost; what was refused is thrown, what an Idempotency-Key answers comes back. */
export async function admitCall(
  deps: ApiDependencies,
  ctx: ApiContext,
  call: Call & { hold: MicroYuan },
): Promise<{ hold: CallHold } | { before: string | null }> {
  if (deps.draining.aborted || !deps.owner.mayAdmit) {
    throw new GatewayError('not_ready', 'This gateway takes no calls just now. Try again.', { retryAfterSeconds: 2 });
  }
  const key = keyOf(ctx);
  const idempotencyKey = idempotencyKeyOf(ctx);
  const admission: CallAdmission = {
    account: key.accountId,
    key: key.id,
    requestId: ctx.state.requestId,
    model: call.model.id,
    request: {
      needs: 'chat',
      model: call.model.id,
      maintenance: call.model.maintenance,
      hold: call.hold,
      isTask: false,
    },
    owner: deps.owner.id,
    ...(idempotencyKey !== undefined && {
      idempotency: { key: idempotencyKey, bodyHash: fingerprintOf({ kind: call.endpoint, fingerprint: call.body }) },
    }),
  };
  const admitted = await deps.calls.admit(admission);
  if (admitted.admitted === 'before') return { before: admitted.answer };
  showRate(ctx, admitted.rate);
  if (admitted.admitted === 'no') throw admitted.refusal;
  return { hold: admitted.hold };
}

function factsOf(endpoint: ChatEndpoint, body: unknown) {
  if (endpoint === 'responses') {
    const { urls, ...facts } = parseResponsesRequest(body);
    return {
      n: 1,
      includeUsage: false,
      ...facts,
      addresses: urls,
      dataUriBytes: dataUriBytesOf(urls),
      previousResponseId: facts.previousResponseId,
    };
  }
  const { imageUrls, ...facts } = parseChatRequest(body);
  return { ...facts, addresses: imageUrls, dataUriBytes: dataUriBytesOf(imageUrls), previousResponseId: undefined };
}

/** Addresses as they are written, without a look-up: whoever fetches them is the upstream. */
function checkAddresses({ guard }: ApiDependencies, addresses: readonly NamedAddress[]): void {
  for (const { url, param } of addresses) if (!isDataUri(url)) guard.checkWritten(url, param);
}

const isDataUri = (url: string): boolean => url.startsWith('data:');
const dataUriBytesOf = (addresses: readonly NamedAddress[]): number =>
  addresses.reduce((sum, { url }) => (isDataUri(url) ? sum + url.length : sum), 0);

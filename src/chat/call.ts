/** A call as it was read: what every later step needs of it. */
import { type AudioFormat, mediaTypeOfAudio } from '../domain/audio.ts';
import { basisOf, type TokenPrice } from '../domain/billing/token-card.ts';
import { type MeasuredCounts, nothingMeasured } from '../domain/billing/token-counts.ts';
import { type CallBounds, holdOfCall, tiersFor } from '../domain/billing/token-hold.ts';
import type { PricedLines } from '../domain/billing/token-lines.ts';
import type { Model, ModelKind } from '../domain/catalogue.ts';
import { estimatedInputTokens } from '../domain/chat/estimate.ts';
import { isObject } from '../domain/json/json-object.ts';
import type { JsonMembers } from '../domain/chat/json-members.ts';
import { addModel, splicedNames } from '../domain/chat/splice.ts';
import type { NamedAddress } from '../domain/requests/named-addresses.ts';
import { chatBody, parseChatRequest } from '../domain/requests/chat-request.ts';
import { completionsBody, parseCompletionsRequest } from '../domain/requests/completions-request.ts';
import { embeddingsBody, parseEmbeddingsRequest } from '../domain/requests/embeddings-request.ts';
import { billedMessagesOf } from '../domain/requests/billed-messages.ts';
import { billedRequestOf, billedTopNames, hasRate, passingOf } from '../domain/requests/billed-request.ts';
import { endpointKinds, modelIdOf, requireKind } from '../domain/requests/parse.ts';
import { messagesBody, parseMessagesRequest } from '../domain/requests/messages-request.ts';
import { moderationsBody, parseModerationsRequest } from '../domain/requests/moderations-request.ts';
import { parseRerankRequest, rerankBody } from '../domain/requests/rerank-request.ts';
import {
  parseTranscriptionFields,
  parseTranslationFields,
  plainTranscripts,
  type TranscriptFormat,
  transcriptionBody,
  translationBody,
} from '../domain/requests/transcription-request.ts';
import type { ChatForm } from '../providers/chat-contract.ts';
import { parseSpeechRequest, speechBody } from '../domain/requests/speech-request.ts';
import { parseResponsesRequest, responsesBody } from '../domain/requests/responses-request.ts';
import { unpricedMessagesNames } from '../domain/requests/unpriced-messages.ts';
import { type Allowed, unpricedTopNames } from '../domain/requests/unpriced.ts';
import type { CallEndpoint } from '../domain/call-endpoints.ts';
import type { CallTranslation } from './call-translation.ts';
import { refuseLongInput } from './embeddings-length.ts';
import type { ApiKey } from '../accounts/api-keys.ts';
import type { JsonBody } from '../api/body/json-body.ts';
import { namesOf } from '../api/body/json-names.ts';
import { requestJson } from '../api/body/request-json.ts';
import { firstOfKind, modelFor } from '../api/model-catalogue.ts';
import { type ApiContext, keyOf } from '../api/context.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import { fingerprintOf, idempotencyKeyOf } from '../api/idempotency-key.ts';
import { priceVersionOf } from '../api/price-version.ts';

export interface SpeechCall {
  format: AudioFormat;
  /**
   * The audio is asked for as events, which say how many tokens it is: charged by the token, the audio alone would have to
   * be estimated.
   */
  asksForEvents: boolean;
}

export interface CallUpload {
  format: TranscriptFormat;
  /** The form as the upstream gets it. */
  formFor: (model: string) => ChatForm;
}

export interface Call {
  endpoint: CallEndpoint;
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
  /** Exactly, where the caller sent its input as tokens. */
  inputTokens: number | undefined;
  /** What the gateway counts of it besides tokens, which is charged where the provider doesn't say. */
  measured: MeasuredCounts;
  /** The most output of all replies together. */
  outputMax: number;
  /** The upstream reads more than came with the call, and how much of it is not known. */
  readsUnknown: boolean;
  /** What its hold was worked out from. */
  bounds: CallBounds;
  /** It is a chat completion that searches the web before it answers. */
  searchesWeb: boolean;
  /** Calls of hosted tools are looked for in its answer. */
  countsTools: boolean;
  /** Of a speech call. */
  speech: SpeechCall | undefined;
  /** Of a call that brings a file. */
  upload: CallUpload | undefined;
  /** Where its routes are asked in another form than its own. */
  translation: CallTranslation | undefined;
  /** The tier that it is charged by, whichever its answer names. */
  tier: string | undefined;
}

/** A call with the most that it can use and cost. */
export interface BoundedCall extends Call {
  bound: PricedLines;
}

const outputTokensDefault = 4_096;

/** Reads and checks a call; nothing is held yet. Refuses with a code of the error table. */
export async function readCall(deps: ApiDependencies, ctx: ApiContext, endpoint: CallEndpoint): Promise<BoundedCall> {
  const body = await requestJson(deps, ctx, { names: namesOfCall[endpoint], places: splicedNames });
  ctx.state.bodyMs = body.tookMs;
  const model = modelOfCall(deps, keyOf(ctx), endpoint, body.value);
  ctx.state.model = model.id;
  const call = callOf(deps, model, endpoint, body);
  if (endpoint === 'embeddings') await refuseLongInput(body);
  if (idempotencyKeyOf(ctx) !== undefined)
    call.bodyHash = fingerprintOf({ kind: call.endpoint, fingerprint: body.value });
  // From here on the bytes are enough: parsed, a body takes up to fifteen times as much, and a call may last for an hour.
  ctx.state.bodyRoom?.give(body.valueBytes);
  return call;
}

const namesOfResponses = new Set([...namesOf(responsesBody), ...unpricedTopNames, ...billedTopNames]);

/** The names that are read at the top of a body. */
export const namesOfCall: Readonly<Record<CallEndpoint, ReadonlySet<string>>> = {
  'chat/completions': new Set([...namesOf(chatBody), ...unpricedTopNames, ...billedTopNames]),
  responses: namesOfResponses,
  'responses/compact': namesOfResponses,
  messages: new Set([...namesOf(messagesBody), ...unpricedMessagesNames]),
  completions: new Set([...namesOf(completionsBody), ...unpricedTopNames, ...billedTopNames]),
  embeddings: new Set([...namesOf(embeddingsBody), ...unpricedTopNames, ...billedTopNames]),
  moderations: new Set([...namesOf(moderationsBody), ...unpricedTopNames, ...billedTopNames]),
  rerank: new Set([...namesOf(rerankBody), ...unpricedTopNames, ...billedTopNames]),
  'audio/transcriptions': namesOf(transcriptionBody),
  'audio/translations': namesOf(translationBody),
  'audio/speech': new Set([...namesOf(speechBody), ...unpricedTopNames, ...billedTopNames]),
};

const kindsOf: Readonly<Record<CallEndpoint, readonly ModelKind[]>> = {
  'chat/completions': endpointKinds.chat,
  responses: endpointKinds.responses,
  'responses/compact': endpointKinds.responses,
  messages: endpointKinds.messages,
  completions: endpointKinds.completions,
  embeddings: endpointKinds.embeddings,
  moderations: endpointKinds.moderations,
  rerank: endpointKinds.rerank,
  'audio/speech': endpointKinds.speech,
  'audio/transcriptions': endpointKinds.transcriptions,
  'audio/translations': endpointKinds.transcriptions,
};

/** A moderation may leave its model out, as OpenAI's may: then it is the first one of the kind. */
function modelIdFor(configuration: ApiDependencies['configuration'], endpoint: CallEndpoint, body: unknown): string {
  const isUnnamed = endpoint === 'moderations' && isObject(body) && (body['model'] ?? undefined) === undefined;
  const first = isUnnamed ? firstOfKind(configuration, 'moderation') : undefined;
  return first ?? modelIdOf(body);
}

/** Returns the model that a body names. Refuses with `model_not_found`, `model_not_allowed`, and a body that names none. */
export const modelOfCall = (
  { configuration }: Pick<ApiDependencies, 'configuration'>,
  key: ApiKey,
  endpoint: CallEndpoint,
  body: unknown,
): Model => modelFor(key, configuration, modelIdFor(configuration, endpoint, body));

/** The call that a body asks for, checked. */
export function callOf(
  deps: Pick<ApiDependencies, 'guard'>,
  model: Model,
  endpoint: CallEndpoint,
  { bytes: came, value: body, members: found }: Pick<JsonBody, 'bytes' | 'value'> & Partial<Pick<JsonBody, 'members'>>,
): BoundedCall {
  const isNamed = !isObject(body) || body['model'] !== undefined;
  const [bytes, members] = isNamed ? [came, found] : [addModel(came, model.id), undefined];
  requireKind(model, kindsOf[endpoint]);
  const { price } = model;
  if (price.unit !== 'token') throw new TypeError(`${model.id} has no price of a call`);
  const facts = factsOf(endpoint, body, passingOf(price, model.allow, body));
  const billed = endpoint === 'messages' ? billedMessagesOf(price, body) : billedRequestOf(price, body);
  const asksForTools = Object.keys(billed.toolCalls).length > 0;
  checkAddresses(deps, facts.addresses);
  checkAddresses(deps, facts.otherAddresses);
  const { addresses, inlineImages } = facts;
  const images = addresses.length + inlineImages.count;
  const imageBytes = dataUriBytesOf(addresses) + inlineImages.characters;
  const estimatedInput =
    facts.inputTokens ?? estimatedInputTokens(bytes.length + facts.repeatedBytes, imageBytes, images);
  const modelMax = model.limits.maxOutputTokens;
  const output = Math.min(facts.maxOutputTokens ?? modelMax ?? outputTokensDefault, modelMax ?? Infinity);
  const bounds: CallBounds = {
    input: estimatedInput,
    output: output * facts.choices,
    tiers: tiersFor(price, billed.tier),
    at: new Date(),
    hasAudioInput: billed.hasAudioInput || facts.readsAudio === true,
    hasImageInput: images > 0,
    hasCacheWrite1h: hasRate(price, 'cacheWrite1hPerMillion') && bytes.includes('"1h"'),
    hasAudioOutput: billed.hasAudioOutput || facts.format !== undefined,
    hasImageOutput: billed.hasImageOutput,
    measured: facts.measuredMax ?? facts.measured,
    toolCalls: billed.toolCalls,
  };
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
    inputTokens: facts.inputTokens,
    measured: facts.measured,
    outputMax: output * facts.choices,
    // What a tool finds is read as well.
    readsUnknown: facts.otherAddresses.length > 0 || asksForTools,
    bounds,
    searchesWeb: billed.searchesWeb,
    countsTools: asksForTools,
    speech: facts.format && { format: facts.format, asksForEvents: !facts.stream && isOfTokens(price) },
    upload: undefined,
    translation: undefined,
    tier: undefined,
    bound: holdOfCall(price, bounds),
  };
}

/**
 * A call that continues a response: the upstream counts all that was said before as its input, too, so that is held as
 * well. `contextTokens` is undefined where the upstream never reported it.
 */
export function continuedCall(call: BoundedCall, contextTokens: number | undefined): BoundedCall {
  if (contextTokens === undefined) return { ...call, readsUnknown: true };
  const bounds = { ...call.bounds, input: call.estimatedInput + contextTokens };
  return { ...call, bounds, bound: holdOfCall(call.price, bounds) };
}

/** What a body asks for, of any endpoint. */
interface BodyFacts {
  stream: boolean;
  choices: number;
  includeUsage: boolean;
  maxOutputTokens: number | undefined;
  /** Of images, or data URIs of images. */
  addresses: readonly NamedAddress[];
  /** Images that are written out in a member of their own, and not as data URIs. */
  inlineImages: { count: number; characters: number };
  /** Of files and the like, which may be of any length. */
  otherAddresses: readonly NamedAddress[];
  previousResponseId: string | undefined;
  /** Where the input was sent as tokens. */
  inputTokens: number | undefined;
  /** What is counted besides tokens, and the most that a provider may count of it, if that is more. */
  measured: MeasuredCounts;
  measuredMax?: MeasuredCounts;
  /** Bytes that are read more than once, each time but the first. */
  repeatedBytes: number;
  /** Of speech. */
  format: AudioFormat | undefined;
  /** Its input is audio. */
  readsAudio?: boolean;
}

const noImages: BodyFacts['inlineImages'] = { count: 0, characters: 0 };
/** Of a call that is not streamed and produces no tokens. */
const plain: BodyFacts = {
  ...{ stream: false, choices: 1, includeUsage: false, maxOutputTokens: 0, addresses: [], inlineImages: noImages },
  ...{ otherAddresses: [], previousResponseId: undefined, inputTokens: undefined },
  ...{ measured: nothingMeasured, repeatedBytes: 0, format: undefined },
};

function factsOf(endpoint: CallEndpoint, body: unknown, allowed: Allowed): BodyFacts {
  switch (endpoint) {
    case 'messages': {
      const read = parseMessagesRequest(body, allowed);
      return {
        ...plain,
        stream: read.stream,
        maxOutputTokens: read.maxOutputTokens,
        addresses: read.imageUrls,
        inlineImages: { count: read.images, characters: read.imageCharacters },
        otherAddresses: read.documentUrls,
      };
    }
    case 'responses':
    case 'responses/compact': {
      const isCompaction = endpoint === 'responses/compact';
      const read = parseResponsesRequest(body, allowed, { mayLackInput: isCompaction });
      return {
        ...plain,
        stream: read.stream && !isCompaction,
        maxOutputTokens: read.maxOutputTokens,
        addresses: read.urls,
        otherAddresses: read.fileUrls,
        previousResponseId: read.previousResponseId,
      };
    }
    case 'chat/completions': {
      const read = parseChatRequest(body, allowed);
      // Spelt out: spreading would cost each of these calls.
      return {
        stream: read.stream,
        choices: read.n,
        includeUsage: read.includeUsage,
        maxOutputTokens: read.maxOutputTokens,
        addresses: read.imageUrls,
        inlineImages: noImages,
        otherAddresses: read.otherUrls,
        previousResponseId: undefined,
        inputTokens: undefined,
        measured: nothingMeasured,
        repeatedBytes: 0,
        format: undefined,
      };
    }
    case 'completions': {
      const { tokens, maxOutputTokens, ...facts } = parseCompletionsRequest(body, allowed);
      return { ...plain, ...facts, maxOutputTokens, inputTokens: tokens };
    }
    case 'audio/speech': {
      const { stream, characters, secondsMax: seconds, tokensMax, format } = parseSpeechRequest(body, allowed);
      const measured = { ...nothingMeasured, characters };
      const measuredMax = { ...measured, seconds };
      return { ...plain, stream, maxOutputTokens: tokensMax, measured, measuredMax, format };
    }
    case 'audio/transcriptions':
    case 'audio/translations': {
      const parse = endpoint === 'audio/transcriptions' ? parseTranscriptionFields : parseTranslationFields;
      const { stream, seconds, inputTokensMax: inputTokens, outputTokensMax: maxOutputTokens } = parse(body);
      const measured = { ...nothingMeasured, seconds };
      return { ...plain, stream, inputTokens, maxOutputTokens, measured, readsAudio: true };
    }
    case 'embeddings':
      return { ...plain, inputTokens: parseEmbeddingsRequest(body, allowed).tokens };
    case 'moderations':
      return { ...plain, addresses: parseModerationsRequest(body).imageUrls };
    case 'rerank': {
      const { searches, searchesMax, repeatedBytes } = parseRerankRequest(body, allowed);
      const measured = { ...nothingMeasured, searches };
      return { ...plain, repeatedBytes, measured, measuredMax: { ...measured, searches: searchesMax } };
    }
  }
}

/** What an answer that is not streamed is. */
export function mediaTypeOfAnswer({ speech, upload }: Call): string {
  if (speech) return mediaTypeOfAudio[speech.format];
  return upload && plainTranscripts.has(upload.format) ? 'text/plain; charset=utf-8' : 'application/json';
}

/** Addresses as they are written, without a look-up: it is the upstream that fetches them. */
export function checkAddresses({ guard }: Pick<ApiDependencies, 'guard'>, addresses: readonly NamedAddress[]): void {
  for (const { url, param } of addresses) if (!isDataUri(url)) guard.checkWritten(url, param);
}

const isOfTokens = (price: TokenPrice): boolean => basisOf(price).includes('input_token');
const isDataUri = (url: string): boolean => url.startsWith('data:');
const dataUriBytesOf = (addresses: readonly NamedAddress[]): number =>
  addresses.reduce((sum, { url }) => (isDataUri(url) ? sum + url.length : sum), 0);

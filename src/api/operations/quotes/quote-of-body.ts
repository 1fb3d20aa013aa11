/**
 * The quote of a body, judged as its operation judges it, model and maintenance included; limits and balance are not
 * asked, and nothing is counted, held or stored.
 */
import * as z from 'zod';
import { maintenanceRefusal } from '../../../domain/maintenance.ts';
import { holdOf, type TaskFacts } from '../../../domain/billing/pricing.ts';
import type { Model } from '../../../domain/catalogue.ts';
import { GatewayError } from '../../../domain/errors.ts';
import { avatarTalkFields } from '../../../domain/requests/avatar-talk.ts';
import { modelId } from '../../../domain/requests/fields.ts';
import { isObject } from '../../../domain/json/json-object.ts';
import {
  imageEditBody,
  imageVariationFields,
  parseEditBody,
  parseEditForm,
  parseVariationForm,
} from '../../../domain/requests/image-edit.ts';
import { imageBody, type ImageRequest, parseImageRequest } from '../../../domain/requests/image-request.ts';
import { endpointKinds, modelIdOf, parseWith, requireKind } from '../../../domain/requests/parse.ts';
import { itemParam, parseVideoRequest, videoBody, type VideoRequest } from '../../../domain/requests/video-request.ts';
import { parseVideosBody, videosBody } from '../../../domain/requests/videos-request.ts';
import { uploadNameOf } from '../../../domain/tasks/uploads.ts';
import { callOf, continuedCall, modelOfCall, namesOfCall } from '../../../chat/call.ts';
import { refuseLongInput } from '../../../chat/embeddings-length.ts';
import { previousResponse } from '../../../chat/stored-responses.ts';
import type { CallEndpoint } from '../../../domain/call-endpoints.ts';
import { editAddresses } from '../../../tasks/create/caller-addresses.ts';
import { deliveringModel } from '../../../tasks/create/image-output-routes.ts';
import { editingModel, framingModel } from '../../../tasks/create/input-routes.ts';
import type { JsonBody } from '../../body/json-body.ts';
import { namesOf } from '../../body/json-names.ts';
import { type ApiContext, keyOf } from '../../context.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { firstOfKind, modelFor } from '../../model-catalogue.ts';
import { callQuote, type QuoteRecord, taskQuote } from '../../presenters/quotes.ts';

/** The quote of a body for the operation of that path. Refuses as the operation does. */
export async function quoteOf(
  deps: ApiDependencies,
  ctx: ApiContext,
  path: QuotedPath,
  body: Pick<JsonBody, 'bytes' | 'value'>,
): Promise<QuoteRecord> {
  switch (path) {
    case '/images/generations':
      return imageQuote(deps, ctx, body.value);
    case '/images/edits':
      return editQuote(deps, ctx, body.value);
    case '/images/variations':
      return variationQuote(deps, ctx, body.value);
    case '/video/generations':
      return videoQuote(deps, ctx, body.value);
    case '/videos':
      return openAiVideoQuote(deps, ctx, body.value);
    case '/svctalk/generate':
      return avatarTalkQuote(deps, ctx, body.value);
    case '/chat/completions':
      return quoteOfCall(deps, ctx, 'chat/completions', body);
    case '/responses':
      return quoteOfCall(deps, ctx, 'responses', body);
    case '/messages':
      return quoteOfCall(deps, ctx, 'messages', body);
    case '/completions':
      return quoteOfCall(deps, ctx, 'completions', body);
    case '/moderations':
      return quoteOfCall(deps, ctx, 'moderations', body);
    case '/rerank':
      return quoteOfCall(deps, ctx, 'rerank', body);
    case '/embeddings':
      return quoteOfCall(deps, ctx, 'embeddings', body);
    case '/audio/transcriptions':
      return quoteOfCall(deps, ctx, 'audio/transcriptions', body);
    case '/audio/translations':
      return quoteOfCall(deps, ctx, 'audio/translations', body);
    case '/audio/speech':
      return quoteOfCall(deps, ctx, 'audio/speech', body);
    default:
      return path satisfies never;
  }
}

function imageQuote(deps: ApiDependencies, ctx: ApiContext, body: unknown) {
  const named = modelFor(keyOf(ctx), deps.configuration, modelIdOf(body));
  const request = parseImageRequest(body, named);
  const model = deliveringModel(deps, named, request);
  for (const [index, url] of request.imageUrls.entries()) deps.guard.checkWritten(url, `image_urls[${index}]`);
  checkWebhookUrl(deps, request.webhookUrl);
  return quoteOfTask(deps, ctx, model, { kind: 'image', request });
}

/** Of a form the files aren't there: without `images` the fields of an edit's form are quoted, for one image. */
function editQuote(deps: ApiDependencies, ctx: ApiContext, body: unknown) {
  const named = modelFor(keyOf(ctx), deps.configuration, modelIdOf(body));
  const isForm = !(isObject(body) && Object.hasOwn(body, 'images'));
  const request = isForm
    ? parseEditForm(body, { images: 1, hasMask: false }, named)
    : parseEditBody(body, named).request;
  return quoteOfEdit(deps, ctx, named, request);
}

function variationQuote(deps: ApiDependencies, ctx: ApiContext, body: unknown) {
  const named = modelFor(keyOf(ctx), deps.configuration, modelIdOf(body));
  return quoteOfEdit(deps, ctx, named, parseVariationForm(body, named));
}

function quoteOfEdit(deps: ApiDependencies, ctx: ApiContext, named: Model, request: ImageRequest) {
  const model = deliveringModel(deps, editingModel(deps, named, request), request);
  for (const { url, param } of editAddresses(request)) deps.guard.checkWritten(url, param);
  checkWebhookUrl(deps, request.webhookUrl);
  return quoteOfTask(deps, ctx, model, { kind: 'image', request });
}

function videoQuote(deps: ApiDependencies, ctx: ApiContext, body: unknown) {
  const model = modelFor(keyOf(ctx), deps.configuration, modelIdOf(body));
  return quoteOfVideo(deps, ctx, model, parseVideoRequest(body, model));
}

function openAiVideoQuote(deps: ApiDependencies, ctx: ApiContext, body: unknown) {
  const named = modelFor(keyOf(ctx), deps.configuration, modelIdOf(body));
  const { request } = parseVideosBody(body, false, named);
  return quoteOfVideo(deps, ctx, framingModel(deps, named, request), request);
}

function quoteOfVideo(deps: ApiDependencies, ctx: ApiContext, model: Model, request: VideoRequest) {
  for (const [index, item] of request.content.entries()) {
    if (item.type !== 'text' && uploadNameOf(item.url) === undefined)
      deps.guard.checkWritten(item.url, itemParam(request, index));
  }
  checkWebhookUrl(deps, request.webhookUrl);
  return quoteOfTask(deps, ctx, model, { kind: 'video', request });
}

/** The upload isn't there, so its length is said. */
function avatarTalkQuote(deps: ApiDependencies, ctx: ApiContext, body: unknown) {
  const { configuration, guard } = deps;
  const id = parseWith(z.object({ model: modelId.nullish() }), body).model ?? firstOfKind(configuration, 'avatar-talk');
  if (id === undefined)
    throw new GatewayError('model_not_found', 'This gateway has no published avatar-talk model.', { param: 'model' });
  const model = modelFor(keyOf(ctx), configuration, id);
  requireKind(model, endpointKinds.avatarTalk);
  const { audioSeconds: secondsMax } = configuration.limits;
  const rule = `must be a number of seconds from 0.001 to ${secondsMax}`;
  const audioSeconds = z.number(rule).min(0.001, rule).max(secondsMax, rule);
  const { audio_seconds: seconds, webhook_url: webhookUrl } = parseWith(
    z.object({ ...avatarTalkFields.shape, audio_seconds: audioSeconds }),
    body,
  );
  if (typeof webhookUrl === 'string') guard.checkWritten(webhookUrl, 'webhook_url');
  return quoteOfTask(deps, ctx, model, { kind: 'avatar_talk', audioDurationMs: Math.round(seconds * 1000) });
}

function quoteOfTask(
  { configuration: { currency } }: ApiDependencies,
  ctx: ApiContext,
  model: Model,
  facts: TaskFacts,
) {
  ctx.state.model = model.id;
  refuseInMaintenance(model);
  return taskQuote(model.id, holdOf(model, facts), currency);
}

async function quoteOfCall(
  deps: ApiDependencies,
  ctx: ApiContext,
  endpoint: CallEndpoint,
  body: Pick<JsonBody, 'bytes' | 'value'>,
) {
  const model = modelOfCall(deps, keyOf(ctx), endpoint, body.value);
  ctx.state.model = model.id;
  const read = callOf(deps, model, endpoint, body);
  if (endpoint === 'embeddings') await refuseLongInput(body);
  const before = await previousResponse(deps, { account: keyOf(ctx).accountId, model: model.id }, read);
  const call = before ? continuedCall(read, before.contextTokens) : read;
  refuseInMaintenance(model);
  return callQuote(call, deps.configuration.currency);
}

function refuseInMaintenance({ id, maintenance }: Model): void {
  const refusal = maintenanceRefusal(id, maintenance, new Date());
  if (refusal) throw refusal;
}

/** Addresses are judged as they are written: a quote fetches nothing, not even a name. */
function checkWebhookUrl({ guard }: ApiDependencies, webhookUrl: string | undefined): void {
  if (webhookUrl !== undefined) guard.checkWritten(webhookUrl, 'webhook_url');
}

export const quotedPaths = [
  '/images/generations',
  '/images/edits',
  '/images/variations',
  '/video/generations',
  '/videos',
  '/svctalk/generate',
  '/chat/completions',
  '/responses',
  '/messages',
  '/completions',
  '/embeddings',
  '/moderations',
  '/rerank',
  '/audio/speech',
  '/audio/transcriptions',
  '/audio/translations',
] as const;
type QuotedPath = (typeof quotedPaths)[number];

/** What each operation reads of its own body. */
export const namesOfQuoted: Readonly<Record<QuotedPath, ReadonlySet<string>>> = {
  '/images/generations': namesOf(imageBody),
  '/images/edits': namesOf(imageEditBody),
  '/images/variations': namesOf(imageVariationFields),
  '/video/generations': namesOf(videoBody),
  '/videos': namesOf(videosBody),
  '/svctalk/generate': new Set([...Object.keys(avatarTalkFields.shape), 'model', 'audio_seconds']),
  '/chat/completions': namesOfCall['chat/completions'],
  '/responses': namesOfCall.responses,
  '/messages': namesOfCall.messages,
  '/completions': namesOfCall.completions,
  '/embeddings': namesOfCall.embeddings,
  '/moderations': namesOfCall.moderations,
  '/rerank': namesOfCall.rerank,
  '/audio/speech': namesOfCall['audio/speech'],
  '/audio/transcriptions': namesOfCall['audio/transcriptions'],
  '/audio/translations': namesOfCall['audio/translations'],
};

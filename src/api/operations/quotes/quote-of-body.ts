/**
 * The quote of a body, judged as its operation judges it, model and maintenance included; limits and balance are not
 * asked, and nothing is counted, held or stored.
 */
import * as z from 'zod';
import { maintenanceRefusal } from '../../../domain/billing/admission.ts';
import { holdOf, type TaskFacts } from '../../../domain/billing/pricing.ts';
import type { Model } from '../../../domain/catalogue.ts';
import { GatewayError } from '../../../domain/errors.ts';
import { avatarTalkFields } from '../../../domain/requests/avatar-talk.ts';
import { modelId } from '../../../domain/requests/fields.ts';
import { imageBody, parseImageRequest } from '../../../domain/requests/image-request.ts';
import { endpointKinds, modelIdOf, parseWith, requireKind } from '../../../domain/requests/parse.ts';
import { itemParam, parseVideoRequest, videoBody } from '../../../domain/requests/video-request.ts';
import { callOf, continuedCall, namesOfCall } from '../../../chat/call.ts';
import { previousResponse } from '../../../chat/stored-responses.ts';
import type { ChatEndpoint } from '../../../providers/chat-contract.ts';
import { deliveringModel } from '../../../tasks/create/image-output-routes.ts';
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
    case '/video/generations':
      return videoQuote(deps, ctx, body.value);
    case '/svctalk/generate':
      return avatarTalkQuote(deps, ctx, body.value);
    case '/chat/completions':
      return quoteOfCall(deps, ctx, 'chat/completions', body);
    case '/responses':
      return quoteOfCall(deps, ctx, 'responses', body);
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
  return quoteOfTask(ctx, model, { kind: 'image', request });
}

function videoQuote(deps: ApiDependencies, ctx: ApiContext, body: unknown) {
  const model = modelFor(keyOf(ctx), deps.configuration, modelIdOf(body));
  const request = parseVideoRequest(body, model);
  for (const [index, item] of request.content.entries()) {
    if (item.type !== 'text') deps.guard.checkWritten(item.url, itemParam(request, index));
  }
  checkWebhookUrl(deps, request.webhookUrl);
  return quoteOfTask(ctx, model, { kind: 'video', request });
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
  return quoteOfTask(ctx, model, { kind: 'avatar_talk', audioDurationMs: Math.round(seconds * 1000) });
}

function quoteOfTask(ctx: ApiContext, model: Model, facts: TaskFacts) {
  ctx.state.model = model.id;
  if (model.maintenance) throw maintenanceRefusal(model.id);
  return taskQuote(model.id, holdOf(model, facts));
}

async function quoteOfCall(
  deps: ApiDependencies,
  ctx: ApiContext,
  endpoint: ChatEndpoint,
  body: Pick<JsonBody, 'bytes' | 'value'>,
) {
  const read = callOf(deps, ctx, endpoint, body);
  const before = await previousResponse(deps, ctx, read);
  const call = before ? continuedCall(read, before.contextTokens) : read;
  const { model } = call;
  if (model.maintenance) throw maintenanceRefusal(model.id);
  return callQuote(call);
}

/** Addresses are judged as they are written: a quote fetches nothing, not even a name. */
function checkWebhookUrl({ guard }: ApiDependencies, webhookUrl: string | undefined): void {
  if (webhookUrl !== undefined) guard.checkWritten(webhookUrl, 'webhook_url');
}

export const quotedPaths = [
  '/images/generations',
  '/video/generations',
  '/svctalk/generate',
  '/chat/completions',
  '/responses',
] as const;
type QuotedPath = (typeof quotedPaths)[number];

/** What each operation reads of its own body. */
export const namesOfQuoted: Readonly<Record<QuotedPath, ReadonlySet<string>>> = {
  '/images/generations': namesOf(imageBody),
  '/video/generations': namesOf(videoBody),
  '/svctalk/generate': new Set([...Object.keys(avatarTalkFields.shape), 'model', 'audio_seconds']),
  '/chat/completions': namesOfCall['chat/completions'],
  '/responses': namesOfCall.responses,
};

/** One line of a batch, judged as its endpoint judges a body; nothing is held, stored or looked up. */
import type { ApiKey } from '../accounts/api-keys.ts';
import { parseJsonBody } from '../api/body/json-body.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import { modelFor } from '../api/model-catalogue.ts';
import { callOf, modelOfCall, namesOfCall } from '../chat/call.ts';
import { refuseLongInput } from '../chat/embeddings-length.ts';
import { type BatchEndpoint, lineFormOf } from '../domain/batches/endpoints.ts';
import { inputsOf, parseInputLine } from '../domain/batches/input-line.ts';
import type { CallEndpoint } from '../domain/call-endpoints.ts';
import type { Model } from '../domain/catalogue.ts';
import { jsonMembers } from '../domain/chat/json-members.ts';
import { GatewayError } from '../domain/errors.ts';
import { parseImageRequest } from '../domain/requests/image-request.ts';
import { invalid, modelIdOf } from '../domain/requests/parse.ts';
import { itemParam, parseVideoRequest } from '../domain/requests/video-request.ts';
import { parseVideosBody } from '../domain/requests/videos-request.ts';
import { deliveringModel } from '../tasks/create/image-output-routes.ts';
import { framingModel } from '../tasks/create/input-routes.ts';

export interface LineCheck {
  endpoint: BatchEndpoint;
  key: ApiKey;
  /** Its models are those of the batch's terms. */
  deps: Pick<ApiDependencies, 'configuration' | 'guard' | 'providers'>;
}

export interface CheckedLine {
  customId: string;
  model: string;
  /** Of embeddings. */
  inputs: number;
}

const lineNames = new Set(['custom_id', 'method', 'url', 'body']);

/** Refuses with a code of the error table, its `param` below `body` where that is at fault. */
export async function checkLine(check: LineCheck, bytes: Buffer): Promise<CheckedLine> {
  const { value } = await parseJsonBody(bytes, { names: lineNames });
  const { customId, body } = parseInputLine(value, check.endpoint);
  const [written] = jsonMembers(bytes, ['body']).found;
  try {
    const model = await modelOfBody(check, bytes.subarray(written?.start, written?.end), body);
    return { customId, model: model.id, inputs: check.endpoint === '/v1/embeddings' ? inputsOf(body) : 0 };
  } catch (error) {
    throw error instanceof GatewayError ? belowBody(error) : error;
  }
}

async function modelOfBody(check: LineCheck, bytes: Buffer, body: Readonly<Record<string, unknown>>): Promise<Model> {
  const form = lineFormOf(check.endpoint);
  if (form.form === 'call') return modelOfCallBody(check, form.endpoint, bytes);
  const { deps, key } = check;
  if ((body['webhook_url'] ?? undefined) !== undefined)
    throw invalid('webhook_url', 'must be absent in a line: set it on the batch, whose end it is sent at');
  const model = modelFor(key, deps.configuration, modelIdOf(body));
  if (form.form === 'image') {
    const request = parseImageRequest(body, model);
    deliveringModel(deps, model, request);
    for (const [index, url] of request.imageUrls.entries()) deps.guard.checkWritten(url, `image_urls[${index}]`);
    return model;
  }
  const request = form.form === 'video' ? parseVideoRequest(body, model) : parseVideosBody(body, false, model).request;
  framingModel(deps, model, request);
  for (const [index, item] of request.content.entries()) {
    // Images that the body holds have an address of ours by now.
    if (item.type !== 'text' && /^https?:/i.test(item.url))
      deps.guard.checkWritten(item.url, itemParam(request, index));
  }
  return model;
}

async function modelOfCallBody({ deps, key }: LineCheck, endpoint: CallEndpoint, bytes: Buffer): Promise<Model> {
  const body = await parseJsonBody(bytes, { names: namesOfCall[endpoint] });
  const model = modelOfCall(deps, key, endpoint, body.value);
  const { stream } = callOf(deps, model, endpoint, body);
  if (stream) throw invalid('stream', 'must be false or absent in a batch');
  if (endpoint === 'embeddings') await refuseLongInput(body);
  return model;
}

/** The fault lies below `body` in the line. */
function belowBody({ code, message, param, cause }: GatewayError): GatewayError {
  if (param === null) return new GatewayError(code, message, { param: 'body', cause });
  const text = message.startsWith(`'${param}'`) ? `'body.${message.slice(1)}` : message;
  return new GatewayError(code, text, { param: `body.${param}`, cause });
}

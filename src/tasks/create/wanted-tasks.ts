/** The tasks that JSON bodies ask for, parsed and judged: nothing is held yet. */
import { parseImageRequest } from '../../domain/requests/image-request.ts';
import { modelIdOf } from '../../domain/requests/parse.ts';
import { parseVideoRequest, type VideoRequest } from '../../domain/requests/video-request.ts';
import { parseVideosBody } from '../../domain/requests/videos-request.ts';
import type { ApiKey } from '../../accounts/api-keys.ts';
import type { StoredBlob } from '../../blobs/blob-store.ts';
import type { ApiDependencies } from '../../api/dependencies.ts';
import { modelFor } from '../../api/model-catalogue.ts';
import { checkVideoAddresses, checkWebhookUrl } from './caller-addresses.ts';
import type { WantedTask } from './create-task.ts';
import { deliveringModel } from './image-output-routes.ts';
import { identifyImages, type ImageUpload, storeInlineImages } from './image-uploads.ts';
import { framingModel } from './input-routes.ts';

/** What judging a body takes. */
export type WantedTools = Pick<ApiDependencies, 'configuration' | 'providers' | 'guard' | 'blobs'>;

/** The task of a body of `/images/generations`. Refuses with a code of the error table. */
export async function wantedImage(
  deps: WantedTools,
  key: ApiKey,
  body: unknown,
): Promise<WantedTask & { isInline: boolean }> {
  const named = modelFor(key, deps.configuration, modelIdOf(body));
  const request = parseImageRequest(body, named);
  const model = deliveringModel(deps, named, request);
  for (const [index, url] of request.imageUrls.entries()) await deps.guard.check(url, `image_urls[${index}]`);
  await checkWebhookUrl(deps, request);
  const stored = { kind: 'image', request } as const;
  return { model, stored, facts: stored, fingerprint: body, isInline: request.responseFormat === 'b64_json' };
}

/** The task of a body of `/video/generations`. Refuses with a code of the error table. */
export async function wantedVideo(deps: WantedTools, key: ApiKey, body: unknown): Promise<WantedTask> {
  const model = modelFor(key, deps.configuration, modelIdOf(body));
  const request = parseVideoRequest(body, model);
  await checkVideoAddresses(deps, request);
  await checkWebhookUrl(deps, request);
  const stored = { kind: 'video', request } as const;
  return { model, stored, facts: stored, fingerprint: body };
}

/**
 * The task of a body of `/videos`, and of the files that came with it. Images that the body holds are stored, and added to
 * `stored`, to be removed where no task is made. Refuses with a code of the error table.
 */
export async function wantedOpenAiVideo(
  deps: WantedTools,
  key: ApiKey,
  body: unknown,
  files: readonly ImageUpload[],
  stored: StoredBlob[],
): Promise<WantedTask & { request: VideoRequest }> {
  const named = modelFor(key, deps.configuration, modelIdOf(body));
  const { request, inline } = parseVideosBody(body, files.length > 0, named);
  const model = framingModel(deps, named, request);
  await checkVideoAddresses(deps, request);
  await checkWebhookUrl(deps, request);
  const inBody = await storeInlineImages(deps.blobs, inline, deps.configuration.limits.imageBytes);
  stored.push(...inBody.map(({ blob }) => blob));
  const images = [...files, ...inBody];
  const uploads = images.length === 0 ? undefined : await identifyImages(deps.blobs, images);
  const kept = { kind: 'video', request } as const;
  const fingerprint = { form: 'videos', body, hashes: files.map(({ blob }) => blob.sha256) };
  return { model, stored: kept, facts: kept, ...(uploads && { uploads }), fingerprint, request };
}

/** Addresses that callers name: each is judged before anything is held for a task that could not reach it. */
import { type ImageRequest, maskParam, referenceParam } from '../../domain/requests/image-request.ts';
import type { NamedAddress } from '../../domain/requests/named-addresses.ts';
import { itemParam, type VideoRequest } from '../../domain/requests/video-request.ts';
import { uploadNameOf } from '../../domain/tasks/uploads.ts';
import type { ApiDependencies } from '../../api/dependencies.ts';

type Guard = Pick<ApiDependencies, 'guard'>;

/** Refuses with `invalid_parameter` a webhook that would lead inwards. */
export async function checkWebhookUrl({ guard }: Guard, { webhookUrl }: { webhookUrl?: string }): Promise<void> {
  if (webhookUrl !== undefined) await guard.check(webhookUrl, 'webhook_url');
}

/** Refuses with `invalid_parameter` media of a video request that would lead inwards, under the name the caller gave it. */
export async function checkVideoAddresses({ guard }: Guard, request: VideoRequest): Promise<void> {
  for (const [index, item] of request.content.entries()) {
    if (item.type === 'text' || uploadNameOf(item.url) !== undefined) continue;
    await guard.check(item.url, itemParam(request, index));
  }
}

/** The addresses of an image edit, with the names under which the caller gave them. */
export function editAddresses(request: ImageRequest): NamedAddress[] {
  const { imageUrls, mask } = request;
  const named = imageUrls.map((url, index) => ({ url, param: referenceParam(request, index) }));
  if (mask !== undefined) named.push({ url: mask, param: maskParam(request) });
  return named.filter(({ url }) => uploadNameOf(url) === undefined);
}

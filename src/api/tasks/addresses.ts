/** Addresses that callers name: each is judged before anything is held for a task that could not reach it. */
import type { VideoRequest } from '../../domain/requests/video.ts';
import type { ApiDependencies } from '../dependencies.ts';

type Guard = Pick<ApiDependencies, 'guard'>;

/** Refuses with `invalid_parameter` a webhook that would lead inwards. */
export async function checkWebhookUrl({ guard }: Guard, { webhookUrl }: { webhookUrl?: string }): Promise<void> {
  if (webhookUrl !== undefined) await guard.check(webhookUrl, 'webhook_url');
}

/** Refuses with `invalid_parameter` media of a video request that would lead inwards, under the name the caller gave it. */
export async function checkVideoAddresses({ guard }: Guard, { content }: VideoRequest, body: unknown): Promise<void> {
  const isFlat = typeof body === 'object' && body !== null && 'audioUrl' in body;
  const offset = typeof body === 'object' && body !== null && 'prompt' in body ? 1 : 0;
  for (const [index, item] of content.entries()) {
    if (item.type === 'text') continue;
    const flatName = item.type === 'audio_url' ? 'audioUrl' : 'videoUrl';
    await guard.check(item.url, isFlat ? flatName : `content[${index - offset}].${item.type}.url`);
  }
}

/** Example videos in the form of OpenAI, in their states. */
import type { GatewayFacts } from '../public-operation.ts';
import { exampleIds } from './example-ids.ts';
import { exampleCreated } from './examples.ts';

export function openAiVideos({
  model,
}: Pick<GatewayFacts, 'model'>): Record<'queued' | 'completed' | 'failed', object> {
  const video = {
    ...{ id: exampleIds.video, object: 'video', model: model('video'), status: 'queued', progress: 0 },
    ...{ created_at: exampleCreated, completed_at: null, expires_at: null },
    ...{ prompt: 'A gate opens', seconds: '8', size: '1280x720', remixed_from_video_id: null, error: null },
  };
  const completedAt = exampleCreated + 60;
  return {
    queued: video,
    completed: {
      ...{ ...video, status: 'completed', progress: 100 },
      ...{ completed_at: completedAt, expires_at: completedAt + 604_800 },
      _local: { cost: 0.8, balance: 99.2 },
    },
    failed: {
      ...{ ...video, status: 'failed' },
      error: { code: 'content_policy_violation', message: 'The prompt was refused by content moderation.' },
    },
  };
}

/** How long a result may be at most: what is longer than its task has paid for fails instead of being delivered. */
import { avatarSecondsDefault, type Model } from '../catalogue.ts';
import type { TaskFacts } from './pricing.ts';

/**
 * What a lip-synced video may have more than its audio: services round up to whole frames (40 ms at 25 a second),
 * containers to whole audio packets, and some put a few frames of silence behind the last word; a second covers these.
 * The part is for a video whose frame rate was changed on the way (23.976 for 24 is 0.1 %, 25 for 24.5 is 2 %).
 */
const talkMarginMs = 1_000;
const talkMarginPart = 0.02;

/**
 * What a task's terms say of the length of its result, in seconds: `maxSeconds` is the most, null where what is charged is
 * bounded instead, for a video by `askedSeconds`.
 */
export function lengthsOf(model: Model, facts: TaskFacts): { maxSeconds: number | null; askedSeconds?: number } {
  if (facts.kind === 'avatar_talk') {
    return { maxSeconds: Math.round(facts.audioDurationMs * (1 + talkMarginPart) + talkMarginMs) / 1_000 };
  }
  const isAvatar = model.kind === 'avatar-video' || model.kind === 'avatar-image';
  if (isAvatar) return { maxSeconds: model.limits.maxSeconds ?? avatarSecondsDefault };
  return { maxSeconds: null, ...(facts.kind === 'video' && { askedSeconds: facts.request.durationSeconds }) };
}

/** Example records of tasks, in each of their states. */
import type { Examples, GatewayFacts } from '../public-operation.ts';
import { exampleIds } from './example-ids.ts';
import { exampleCreated } from './examples.ts';

type Facts = Pick<GatewayFacts, 'model' | 'publicUrl'>;

interface States {
  processing: object;
  succeeded: object;
  failed: object;
  cancelled: object;
}

export function allStates({ processing, succeeded, failed }: States): Examples {
  return {
    succeeded: { summary: 'Done', value: succeeded },
    processing: { summary: 'Running', value: processing },
    failed: { summary: 'Failed', value: failed },
  };
}

/** An image task in each of its states. */
export function imageTasks({ model, publicUrl }: Facts): States {
  const { image: id } = exampleIds;
  const head = { id, object: 'image', model: model('image'), created: exampleCreated };
  const failed = { ...head, status: 'failed', success: false };
  return {
    processing: { ...head, ...running('/images/generations', id) },
    succeeded: {
      ...head,
      status: 'succeeded',
      data: [{ url: linkTo(publicUrl, id) }],
      success: true,
      _local: local,
    },
    failed: { ...failed, error: failure },
    cancelled: { ...failed, error: cancelledError },
  };
}

/** A video task in each of its states. */
export function videoTasks({ model, publicUrl }: Facts): States {
  const { video: id } = exampleIds;
  const head = { id, object: 'video', model: model('video'), created: exampleCreated };
  return {
    processing: { ...head, ...running('/video/generations', id) },
    succeeded: { ...head, status: 'succeeded', content: [{ video_url: linkTo(publicUrl, id) }], _local: local },
    failed: { ...head, status: 'failed', error: failure },
    cancelled: { ...head, status: 'failed', error: cancelledError },
  };
}

const linkTo = (publicUrl: string, id: string) => `${publicUrl}/files/${id}/0?e=1767312000&k=1&s=c2lnbmF0dXJl`;
const running = (path: string, id: string) => ({
  status: 'processing',
  message: `The task is running. Poll GET ${path}/${id} for its result.`,
});

const local = { cost: 0.2, balance: 99.8 };
export const cancelledError = {
  message: 'The task was cancelled.',
  type: 'conflict_error',
  param: null,
  code: 'cancelled',
};
const failure = {
  message: 'The prompt was refused by content moderation.',
  type: 'invalid_request_error',
  param: 'prompt',
  code: 'content_policy_violation',
};

/** fal: requests to the queue of any of its models (https://fal.ai/docs/api-reference/inference-api). */
import type { ProviderDefinition } from '../definition.ts';
import { createHttpTaskProvider } from '../http/task-provider.ts';
import { falWire } from './wire.ts';

export const fal: ProviderDefinition = {
  kind: 'fal',
  serves: ['image', 'video', 'avatar-video', 'avatar-image', 'avatar-talk'],
  secrets: { api_key: 'required' },
  tasks: (settings, tools) => createHttpTaskProvider(falWire(settings), settings, tools),
};

/** Replicate: predictions of any of its models (https://replicate.com/docs/reference/http). */
import type { ProviderDefinition } from '../definition.ts';
import { createHttpTaskProvider } from '../http/task-provider.ts';
import { replicateWire } from './wire.ts';

export const replicate: ProviderDefinition = {
  kind: 'replicate',
  serves: ['image', 'video', 'avatar-video', 'avatar-image', 'avatar-talk'],
  secrets: { api_key: 'required' },
  tasks: (settings, tools) => createHttpTaskProvider(replicateWire(settings), settings, tools),
};

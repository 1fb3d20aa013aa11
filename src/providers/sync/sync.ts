/** sync.so: lip sync of a video to an audio (https://sync.so/docs/api-reference). */
import type { ProviderDefinition } from '../definition.ts';
import { createHttpTaskProvider } from '../http/task-provider.ts';
import { syncWire } from './wire.ts';

export const sync: ProviderDefinition = {
  kind: 'sync',
  serves: ['avatar-video', 'avatar-talk'],
  secrets: { api_key: 'required' },
  tasks: (settings, tools) => createHttpTaskProvider(syncWire(settings), settings, tools),
};

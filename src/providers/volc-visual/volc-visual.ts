/** Volcengine Visual: Jimeng images, upscaling, lip-sync and OmniHuman (https://www.volcengine.com/docs/85621). */
import type { ProviderDefinition } from '../definition.ts';
import { createHttpTaskProvider } from '../http/task-provider.ts';
import { volcVisualWire } from './wire.ts';

export const volcVisual: ProviderDefinition = {
  kind: 'volc-visual',
  serves: ['image', 'avatar-video', 'avatar-image'],
  secrets: { access_key: 'required', secret_key: 'required' },
  tasks: (settings, tools) => createHttpTaskProvider(volcVisualWire(settings), settings, tools),
};

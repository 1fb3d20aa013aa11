/** Volcengine Ark: its language models, Seedream's images and Seedance's videos. */
import type { ProviderDefinition } from '../definition.ts';
import { createHttpTaskProvider } from '../http/task-provider.ts';
import { createOpenAiChat } from '../openai/chat.ts';
import { storedImages } from '../stored-images.ts';
import { arkBaseUrl, arkWire } from './wire.ts';

export const ark: ProviderDefinition = {
  kind: 'ark',
  serves: ['chat', 'code', 'image', 'video'],
  secrets: { api_key: 'required' },
  answersWithImages: true,
  chat: (settings) => createOpenAiChat({ ...settings, baseUrl: settings.baseUrl ?? arkBaseUrl }),
  tasks: (settings, tools) => {
    const wire = arkWire(settings);
    return createHttpTaskProvider(wire, settings, tools, storedImages(wire, settings, tools));
  },
};

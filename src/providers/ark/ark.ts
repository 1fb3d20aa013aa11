/** Volcengine Ark: its language and embedding models, Seedream's images and Seedance's videos. */
import type { ProviderDefinition } from '../definition.ts';
import { createHttpTaskProvider } from '../http/task-provider.ts';
import { createOpenAiChat, openAiEndpoints } from '../openai/chat.ts';
import { storedImages } from '../stored-images.ts';
import { arkBaseUrl, arkWire } from './wire.ts';

export const ark: ProviderDefinition = {
  kind: 'ark',
  reports: ['cachedInputPerMillion'],
  serves: ['chat', 'code', 'embedding', 'image', 'video'],
  secrets: { api_key: 'required' },
  endpoints: openAiEndpoints,
  answersWithImages: true,
  chat: (settings) => createOpenAiChat({ ...settings, baseUrl: settings.baseUrl ?? arkBaseUrl }),
  tasks: (settings, tools) => {
    const wire = arkWire(settings);
    return createHttpTaskProvider(wire, settings, tools, storedImages(wire, settings, tools));
  },
};

/** OpenAI, and whatever speaks its API: calls of all kinds, and images. */
import { callModelKinds } from '../../domain/catalogue.ts';
import type { ProviderDefinition } from '../definition.ts';
import { createHttpTaskProvider } from '../http/task-provider.ts';
import { storedImages } from '../stored-images.ts';
import { openAiBatchEndpoints } from './batches.ts';
import { createOpenAiChat, openAiEndpoints } from './chat.ts';
import { imagesWire } from './images.ts';

export const openai: ProviderDefinition = {
  kind: 'openai',
  reports: ['cachedInputPerMillion'],
  serves: [...callModelKinds, 'image'],
  // Servers of one's own often take no key.
  secrets: { api_key: 'without base_url' },
  endpoints: openAiEndpoints,
  batches: openAiBatchEndpoints,
  answersWithImages: true,
  chat: createOpenAiChat,
  tasks: (settings, tools) => {
    const wire = imagesWire(settings, tools);
    return createHttpTaskProvider(wire, settings, tools, storedImages(wire, settings, tools));
  },
};

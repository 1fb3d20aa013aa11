/** OpenAI, and whatever speaks its API: chat, code and images. */
import type { ProviderDefinition } from '../definition.ts';
import { createHttpTaskProvider } from '../http/task-provider.ts';
import { storedImages } from '../stored-images.ts';
import { createOpenAiChat } from './chat.ts';
import { imagesWire } from './images.ts';

export const openai: ProviderDefinition = {
  kind: 'openai',
  serves: ['chat', 'code', 'image'],
  // Servers of one's own often take no key.
  secrets: { api_key: 'without base_url' },
  answersWithImages: true,
  chat: createOpenAiChat,
  tasks: (settings, tools) => {
    const wire = imagesWire(settings, tools);
    return createHttpTaskProvider(wire, settings, tools, storedImages(wire, settings, tools));
  },
};

/** Anthropic, and whatever speaks only its messages. */
import type { ProviderSettings } from '../../domain/catalogue.ts';
import { callEndpoints, messagesVersion } from '../../domain/call-endpoints.ts';
import type { ChatProvider } from '../chat-contract.ts';
import { anthropicBatches } from './batches.ts';
import { type ProviderDefinition, secretOf } from '../definition.ts';
import { openUpstream } from '../openai/chat-upstream.ts';
import { commonHeaders } from '../openai/headers.ts';

const anthropicBaseUrl = 'https://api.anthropic.com/v1';

export const anthropic: ProviderDefinition = {
  kind: 'anthropic',
  serves: ['chat', 'code'],
  secrets: { api_key: 'required' },
  batches: ['messages'],
  chat: createAnthropicChat,
};

function createAnthropicChat(settings: ProviderSettings): ChatProvider {
  // A key in `authorization` would be taken for a token of OAuth.
  const keyed = { name: settings.name, secrets: {}, headers: settings.headers };
  const headers = commonHeaders(keyed, { 'x-api-key': secretOf(settings, 'api_key') });
  const probeHeaders = ['anthropic-version', messagesVersion];
  const baseUrl = settings.baseUrl ?? anthropicBaseUrl;
  const { start, probe, close } = openUpstream(baseUrl, headers, { ...settings, probeHeaders });
  const batches = anthropicBatches({ ...settings, baseUrl, headers });
  return {
    endpoints: [callEndpoints.messages],
    batches,
    start,
    probe,
    close: async () => {
      await close();
      await batches.close();
    },
  };
}

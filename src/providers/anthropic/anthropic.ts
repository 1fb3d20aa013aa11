/** Anthropic, and whatever speaks only its messages. */
import type { ProviderSettings } from '../../domain/catalogue.ts';
import { callEndpoints, messagesVersion } from '../../domain/call-endpoints.ts';
import type { ChatProvider } from '../chat-contract.ts';
import { type ProviderDefinition, secretOf } from '../definition.ts';
import { openUpstream } from '../openai/chat-upstream.ts';
import { commonHeaders } from '../openai/headers.ts';

const anthropicBaseUrl = 'https://api.anthropic.com/v1';

export const anthropic: ProviderDefinition = {
  kind: 'anthropic',
  serves: ['chat', 'code'],
  secrets: { api_key: 'required' },
  chat: createAnthropicChat,
};

function createAnthropicChat(settings: ProviderSettings): ChatProvider {
  // A key in `authorization` would be taken for a token of OAuth.
  const keyed = { name: settings.name, secrets: {}, headers: settings.headers };
  const headers = commonHeaders(keyed, { 'x-api-key': secretOf(settings, 'api_key') });
  const probeHeaders = ['anthropic-version', messagesVersion];
  const baseUrl = settings.baseUrl ?? anthropicBaseUrl;
  const { start, probe, close } = openUpstream(baseUrl, headers, { ...settings, probeHeaders });
  return { endpoints: [callEndpoints.messages], start, probe, close };
}

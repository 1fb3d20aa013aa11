/** Upstreams that speak the OpenAI API, reached as it is; some speak Anthropic's messages, too. */
import type { ProviderSettings } from '../../domain/catalogue.ts';
import { type EndpointName, callEndpoints } from '../../domain/call-endpoints.ts';
import type { ChatProvider } from '../chat-contract.ts';
import { openAiBatches } from './batches.ts';
import { openUpstream } from './chat-upstream.ts';
import { commonHeaders } from './headers.ts';

const openAiBaseUrl = 'https://api.openai.com/v1';

/** What such an upstream has, where the settings don't say. A model of a kind with an endpoint of its own says that it is there. */
export const openAiEndpoints = [
  'chat',
  'responses',
  'embeddings',
  'moderations',
  'rerank',
  'speech',
  'transcriptions',
  'translations',
] as const satisfies readonly EndpointName[];

/** A provider of kind `openai`. Throws for headers in the settings that can't be sent. */
export function createOpenAiChat(settings: ProviderSettings): ChatProvider {
  const { secrets, baseUrl = openAiBaseUrl, messagesBaseUrl = baseUrl, endpoints = openAiEndpoints } = settings;
  const headers = commonHeaders(settings);
  const upstream = openUpstream(baseUrl, headers, settings);
  // Vendors differ in where they look for the key of messages.
  const key = secrets['api_key'];
  const ofMessages = commonHeaders(settings, key === undefined ? {} : { 'x-api-key': key });
  const messages = endpoints.includes('messages') ? openUpstream(messagesBaseUrl, ofMessages, settings) : undefined;
  const upstreamOf = (path: string) => (messages && /^messages(?:\/|$)/.test(path) ? messages : upstream);

  const batches = openAiBatches({ ...settings, baseUrl, headers, endpoints });

  return {
    batches,
    endpoints: endpoints.map((name) => callEndpoints[name]),
    start: (call, listener) => upstreamOf(call.path).start(call, listener),
    probe: (signal) => (messages && endpoints.every((name) => name === 'messages') ? messages : upstream).probe(signal),
    close: async () => {
      await upstream.close();
      await messages?.close();
      await batches.close();
    },
  };
}

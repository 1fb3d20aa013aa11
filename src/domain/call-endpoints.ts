/** The endpoints of calls: the wire formats that a call may come in, and that an upstream may speak. */

/** By their names in the settings, with the path of each below its base URL. */
export const callEndpoints = {
  chat: 'chat/completions',
  responses: 'responses',
  messages: 'messages',
  completions: 'completions',
  embeddings: 'embeddings',
  moderations: 'moderations',
  rerank: 'rerank',
  speech: 'audio/speech',
  transcriptions: 'audio/transcriptions',
  translations: 'audio/translations',
} as const;

export type EndpointName = keyof typeof callEndpoints;
/** A provider with responses may have their compaction, too; no setting says so. */
export type CallEndpoint = ProviderEndpoint | 'responses/compact';
export type ProviderEndpoint = (typeof callEndpoints)[EndpointName];

/** The endpoint that a provider has to have for a call. */
export const providerEndpointOf = (endpoint: CallEndpoint): ProviderEndpoint =>
  endpoint === 'responses/compact' ? 'responses' : endpoint;

export const endpointNames = [
  'chat',
  'responses',
  'messages',
  'completions',
  'embeddings',
  'moderations',
  'rerank',
  'speech',
  'transcriptions',
  'translations',
] as const satisfies readonly EndpointName[];

/** What `anthropic-version` says where a caller of messages names none; the only one that there is. */
export const messagesVersion = '2023-06-01';

/**
 * Endpoints whose calls leave nothing behind and give the same answer again: where an answer is lost on its way, the same
 * route is asked once more.
 */
export const repeatableEndpoints: ReadonlySet<CallEndpoint> = new Set(['embeddings', 'moderations', 'rerank']);

/** Endpoints that a model with `translate` serves though none of its routes has them. */
export const translatedEndpoints: ReadonlySet<CallEndpoint> = new Set(['responses', 'messages']);

/** Endpoints of audio: a key needs the level of what makes media. */
export const audioEndpoints: ReadonlySet<CallEndpoint> = new Set([
  'audio/speech',
  'audio/transcriptions',
  'audio/translations',
]);

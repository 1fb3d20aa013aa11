/** The endpoints that lines of a batch may name, each with a leading `/v1`, whichever root the batch was created under. */
import type { CallEndpoint } from '../call-endpoints.ts';
import type { ModelKind } from '../catalogue.ts';
import { endpointKinds } from '../requests/parse.ts';

export const batchEndpoints = [
  '/v1/chat/completions',
  '/v1/responses',
  '/v1/messages',
  '/v1/embeddings',
  '/v1/completions',
  '/v1/moderations',
  '/v1/rerank',
  '/v1/images/generations',
  '/v1/video/generations',
  '/v1/videos',
] as const;
export type BatchEndpoint = (typeof batchEndpoints)[number];

/** What a line is: a call that answers at once, or a task. */
export type LineForm =
  | { form: 'call'; endpoint: CallEndpoint; kinds: readonly ModelKind[] }
  | { form: 'image' | 'video' | 'openai-video'; kinds: readonly ModelKind[] };

const call = (endpoint: CallEndpoint, kinds: readonly ModelKind[]): LineForm => ({ form: 'call', endpoint, kinds });

const forms: Readonly<Record<BatchEndpoint, LineForm>> = {
  '/v1/chat/completions': call('chat/completions', endpointKinds.chat),
  '/v1/responses': call('responses', endpointKinds.responses),
  '/v1/messages': call('messages', endpointKinds.messages),
  '/v1/embeddings': call('embeddings', endpointKinds.embeddings),
  '/v1/completions': call('completions', endpointKinds.completions),
  '/v1/moderations': call('moderations', endpointKinds.moderations),
  '/v1/rerank': call('rerank', endpointKinds.rerank),
  '/v1/images/generations': { form: 'image', kinds: endpointKinds.image },
  '/v1/video/generations': { form: 'video', kinds: endpointKinds.video },
  '/v1/videos': { form: 'openai-video', kinds: endpointKinds.video },
};

export const lineFormOf = (endpoint: BatchEndpoint): LineForm => forms[endpoint];

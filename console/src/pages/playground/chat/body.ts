/** The body of a chat request, of the form's settings and what was said. */
import type { ModelFacts } from '../shared/facts.ts';
import type { FieldOf } from '../shared/fault.tsx';
import type { Turn } from './conversation.ts';

export const firstDraft = {
  model: '',
  system: '',
  temperature: null as number | null,
  maxTokens: null as number | null,
  text: '',
  /** Addresses, one a line. */
  images: '',
};
export type Draft = typeof firstDraft;

export function chatBody(
  { system, temperature, maxTokens }: Draft,
  model: ModelFacts,
  turns: readonly Turn[],
): Record<string, unknown> {
  return {
    model: model.id,
    messages: [
      ...(system.trim() === '' ? [] : [{ role: 'system', content: system }]),
      ...turns.filter(({ role, text }) => role === 'user' || text !== '').map(messageOf),
    ],
    stream: true,
    ...(temperature !== null && { temperature }),
    ...(maxTokens !== null && { max_tokens: maxTokens }),
  };
}

function messageOf({ role, text, images }: Turn): Record<string, unknown> {
  if (role === 'assistant' || images.length === 0) return { role, content: text };
  const parts = images.map((url) => ({ type: 'image_url', image_url: { url } }));
  return { role, content: [{ type: 'text', text }, ...parts] };
}

export const fieldOf: FieldOf = (param) => {
  if (param === 'model' || param === 'temperature') return param;
  if (param === 'max_tokens') return 'maxTokens';
  if (param.includes('image_url')) return 'images';
  return param.startsWith('messages') ? 'text' : undefined;
};

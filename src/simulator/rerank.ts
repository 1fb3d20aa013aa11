/** The simulator's rankings: a document is the more relevant the more of the query's words it has. */
import { isObject, type JsonObject } from '../domain/json/json-object.ts';
import { numberOr } from './chat-prompt.ts';
import { tokensOf } from './chat-tokens.ts';
import { mergeUsage } from './chat-usage.ts';

const documentsPerSearch = 100;

/** The text of a body, in which its knobs are. */
export const rankedText = ({ query }: JsonObject & { query?: unknown }): string => String(query);

/** The answer to a body, in the form that Cohere and Jina share; `usage` is merged into its usage. */
export function rerankAnswer(body: JsonObject, id: string, usage: JsonObject | undefined): JsonObject {
  const { query, documents, top_n: topN, return_documents: returns, model } = body as Record<string, unknown>;
  const wanted = new Set(termsOf(String(query)));
  const texts = (Array.isArray(documents) ? (documents as readonly unknown[]) : []).map(textOf);
  const results = texts
    .map((text, index) => ({ index, relevance_score: relevanceOf(wanted, termsOf(text)), text }))
    .sort((one, other) => other.relevance_score - one.relevance_score || one.index - other.index)
    .slice(0, numberOr(topN, texts.length))
    .map(({ text, ...result }) => (returns === true ? { ...result, document: { text } } : result));
  const queryTokens = tokensOf(String(query)).length;
  const tokens = texts.reduce((sum, text) => sum + queryTokens + tokensOf(text).length, 0);
  return {
    ...{ id, object: 'list', model, results },
    usage: mergeUsage({ prompt_tokens: tokens, total_tokens: tokens }, usage),
    meta: {
      api_version: { version: '2' },
      billed_units: { search_units: Math.ceil(texts.length / documentsPerSearch) },
    },
  };
}

function textOf(document: unknown): string {
  if (typeof document === 'string') return document;
  const text = isObject(document) ? document['text'] : undefined;
  return typeof text === 'string' ? text : JSON.stringify(document);
}

const termsOf = (text: string): string[] => text.toLowerCase().match(/\p{Script=Han}|[\p{L}\p{N}]+/gu) ?? [];

/** Mostly the share of the query's words that the document has; of two with as many, the shorter one is ahead. */
function relevanceOf(wanted: ReadonlySet<string>, terms: readonly string[]): number {
  if (wanted.size === 0 || terms.length === 0) return 0;
  const own = new Set(terms);
  const shared = [...wanted].filter((term) => own.has(term)).length;
  const score = 0.9 * (shared / wanted.size) + 0.1 * (shared / own.size);
  return Math.round(score * 1e6) / 1e6;
}

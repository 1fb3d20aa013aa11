/**
 * The rerank request in Cohere's and Jina's form, checked but not changed: the body is forwarded as it came. Fields that
 * are not known here pass.
 */
import { z } from 'zod';
import { estimatedInputTokens } from '../chat/estimate.ts';
import { rerankDocumentsMax } from '../limits.ts';
import { anObject, flag, integerFrom, listOf, modelId, text, word } from './fields.ts';
import { parseWith } from './parse.ts';
import { type Allowed, refuseUnpriced } from './unpriced.ts';

export interface RerankFacts {
  /** By the number of documents: what is charged where the provider doesn't say. */
  searches: number;
  /** Where long documents count as several. */
  searchesMax: number;
  /** Bytes of the query that are read again with each document but the first. */
  repeatedBytes: number;
}

/** Cohere's: a search unit is a query over up to 100 documents, and a document is split where it has more than 500 tokens with the query. */
const documentsPerSearch = 100;
const tokensPerDocument = 500;

const documentsRule = `must be an array of 1 to ${rerankDocumentsMax} strings or objects`;

export const rerankBody = z.object({
  model: modelId,
  query: word,
  documents: listOf(z.union([text, anObject], 'must be a string or an object'), documentsRule, {
    min: 1,
    max: rerankDocumentsMax,
  }),
  top_n: integerFrom(1).nullish(),
  return_documents: flag.nullish(),
});

/**
 * The facts of a rerank body. Refuses with `missing_parameter` or `invalid_parameter` and the path of the first fault. What
 * costs money upstream and has no price here is refused unless it is `allowed`.
 */
export function parseRerankRequest(body: unknown, allowed: Allowed = []): RerankFacts {
  const { query, documents } = parseWith(rerankBody, body);
  refuseUnpriced(body, allowed);
  const queryBytes = Buffer.byteLength(query);
  const parts = documents.map((document) => {
    const bytes = Buffer.byteLength(typeof document === 'string' ? document : JSON.stringify(document));
    return Math.ceil(estimatedInputTokens(bytes + queryBytes, 0, 0) / tokensPerDocument);
  });
  const partsMax = parts.reduce((sum, count) => sum + count, 0);
  return {
    searches: Math.ceil(documents.length / documentsPerSearch),
    searchesMax: Math.ceil(partsMax / documentsPerSearch),
    repeatedBytes: queryBytes * (documents.length - 1),
  };
}

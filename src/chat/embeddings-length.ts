/** The bound on an embeddings call's text, which is one of tokens: text has to be counted before it can be refused. */
import { isObject } from '../domain/json/json-object.ts';
import { embeddingTokensMax } from '../domain/limits.ts';
import { inputTokensRule } from '../domain/requests/embeddings-request.ts';
import { invalid } from '../domain/requests/parse.ts';
import { countTokens } from './count-tokens.ts';

/** Refuses text of more tokens than a call may have. A token has a byte at least, so only what is long is counted. */
export async function refuseLongInput({ bytes, value }: { bytes: Buffer; value: unknown }): Promise<void> {
  if (bytes.length <= embeddingTokensMax) return;
  const text = inputTextOf(value);
  if (Buffer.byteLength(text) <= embeddingTokensMax) return;
  const tokens = await countTokens(text);
  if (tokens > embeddingTokensMax) throw invalid('input', `${inputTokensRule}; it has ${tokens}`);
}

function inputTextOf(value: unknown): string {
  const input = isObject(value) ? value['input'] : undefined;
  if (!Array.isArray(input)) return typeof input === 'string' ? input : '';
  return input.filter((item) => typeof item === 'string').join('\n');
}

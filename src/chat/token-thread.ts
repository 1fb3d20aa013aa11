/** The thread that counts tokens: takes one text at a time, and answers with its number of tokens. */
import { parentPort } from 'node:worker_threads';
import { clearMergeCache, countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** The tokenizer's time grows with the square of an unbroken run of letters, so it is given slices. A cut can add one token. */
const sliceCharacters = 2000;

parentPort?.on('message', (text: string) => {
  let tokens = 0;
  for (let at = 0; at < text.length; at += sliceCharacters)
    tokens += countTokens(text.slice(at, at + sliceCharacters), { disallowedSpecial: new Set() });
  clearMergeCache(); // callers' texts don't stay behind in it; it is bounded by entries and not by bytes
  parentPort?.postMessage(tokens);
});

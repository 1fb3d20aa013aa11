/** What all lines of a batch may ask for, and which of it a file asks for. */
import type { BatchLine } from '../../parts/batches/batch.ts';

export type Endpoint = BatchLine['endpoint'];

/** In the order of the documentation; a record, so that none is forgotten. */
const known: Readonly<Record<Endpoint, true>> = {
  '/v1/chat/completions': true,
  '/v1/responses': true,
  '/v1/messages': true,
  '/v1/embeddings': true,
  '/v1/completions': true,
  '/v1/moderations': true,
  '/v1/rerank': true,
  '/v1/images/generations': true,
  '/v1/video/generations': true,
  '/v1/videos': true,
};

const isEndpoint = (text: unknown): text is Endpoint => typeof text === 'string' && Object.hasOwn(known, text);
export const endpoints: readonly Endpoint[] = Object.keys(known).filter(isEndpoint);

/** A line may be longer, and then says nothing here. */
const firstLineBytesMax = 4 * 1024 * 1024;

/** The endpoint that the first line of the file names; undefined where it names none. */
export async function endpointOf(file: Blob): Promise<Endpoint | undefined> {
  const text = await file.slice(0, firstLineBytesMax).text();
  const [line = ''] = text.trimStart().split('\n', 1);
  try {
    const parsed: unknown = JSON.parse(line);
    const url = typeof parsed === 'object' && parsed !== null && 'url' in parsed ? parsed.url : undefined;
    return isEndpoint(url) ? url : undefined;
  } catch {
    return undefined; // the server says what is wrong with it, and where
  }
}

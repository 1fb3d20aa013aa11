/**
 * The requests of a batch as its provider's batch API takes them: the caller's bodies as they came, with the provider's
 * name of the model. The file is read anew each time, a line at a time.
 */
import { jsonMembers } from '../domain/chat/json-members.ts';
import { addModel, spliceChatBody, splicedNames } from '../domain/chat/splice.ts';
import { holdOfCall } from '../domain/billing/token-hold.ts';
import type { CallEndpoint, ProviderEndpoint } from '../domain/call-endpoints.ts';
import { GatewayError } from '../domain/errors.ts';
import { type Money, micros } from '../domain/money.ts';
import type { ApiKey } from '../accounts/api-keys.ts';
import { parseJsonBody } from '../api/body/json-body.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { callOf, modelOfCall, namesOfCall } from '../chat/call.ts';
import { refuseLongInput } from '../chat/embeddings-length.ts';
import type { BatchProvider } from '../providers/batch-contract.ts';
import type { RunningBatch } from './batch-rows.ts';
import { readLines } from './read-lines.ts';
import { atBatchPrice } from './run-line.ts';
import type { SliceDependencies } from './slice-dependencies.ts';

export interface NativeRoute {
  batches: BatchProvider;
  endpoint: CallEndpoint & ProviderEndpoint;
  /** What the provider calls the model. */
  model: string;
}

export interface NativePlan {
  /** What the lines are expected to cost. */
  estimate: Money;
  /** Of the requests, their frame included. */
  bytes: number;
  /** Why the provider's batch API can't take them. */
  refused?: string;
}

/** Of a reply whose request allows more: what is expected of it. The bound of each would be many times what is used. */
const outputTokensExpected = 1_024;
const lineBytesMore = 8 * 1024;

/**
 * Reads all lines as they would be sent: what they come to, or why they are not handed over. Nothing is held or sent. A line
 * that would be refused now is left to the way that can refuse a line alone.
 */
export async function planRequests(
  deps: SliceDependencies,
  { batch, key, signal }: { batch: RunningBatch; key: ApiKey; signal: AbortSignal },
  { batches, endpoint, model: name }: NativeRoute,
): Promise<NativePlan> {
  const frame = batches.frameOf(endpoint);
  let estimate = 0n;
  let bytes = Buffer.byteLength(frame.start) + Buffer.byteLength(frame.end);
  let isFirst = true;
  for await (const { n, body } of bodiesOf(deps, batch)) {
    signal.throwIfAborted();
    const read = await parseJsonBody(body, { names: namesOfCall[endpoint], places: splicedNames });
    try {
      const model = modelOfCall(deps, key, endpoint, read.value);
      const call = atBatchPrice(callOf(deps, model, endpoint, read));
      if (endpoint === 'embeddings') await refuseLongInput(read);
      // Whose response it is would be asked when it is sent, which the provider does.
      if (call.previousResponseId !== undefined) return refusedFor(`line ${n} continues a response`);
      if (call.stream) return refusedFor(`line ${n} asks for a stream`);
      const output = Math.min(call.bounds.output, outputTokensExpected * call.choices);
      estimate += holdOfCall(call.price, { ...call.bounds, output }).total;
    } catch (error) {
      if (error instanceof GatewayError) return refusedFor(`line ${n} is refused: ${error.code}`);
      throw error;
    }
    for (const piece of framed(frame.around(n, isFirst), bodyFor(body, name))) bytes += piece.length;
    isFirst = false;
  }
  return { estimate: micros(estimate), bytes };
}

const refusedFor = (refused: string): NativePlan => ({ estimate: micros(0n), bytes: 0, refused });

/** The requests with their frame, as one body. */
export async function* requestsOf(
  deps: Pick<SliceDependencies, 'blobs' | 'configuration'>,
  batch: RunningBatch,
  { batches, endpoint, model }: NativeRoute,
): AsyncGenerator<Uint8Array> {
  const frame = batches.frameOf(endpoint);
  let isFirst = true;
  if (frame.start !== '') yield Buffer.from(frame.start);
  for await (const { n, body } of bodiesOf(deps, batch)) {
    // One chunk a line: a request of many small writes is slow.
    yield Buffer.concat(framed(frame.around(n, isFirst), bodyFor(body, model)));
    isFirst = false;
  }
  if (frame.end !== '') yield Buffer.from(frame.end);
}

const framed = ([before, behind]: readonly [string, string], body: readonly Buffer[]): Buffer[] => [
  Buffer.from(before),
  ...body,
  Buffer.from(behind),
];

/** A moderation may leave its model out, and is judged by the one that the provider has for us then. */
function bodyFor(body: Buffer, model: string): Buffer[] {
  const members = jsonMembers(body, splicedNames);
  if (!members.found.some(({ name }) => name === 'model')) return [addModel(body, model)];
  return spliceChatBody(body, { model, includeUsage: false }, members);
}

async function* bodiesOf(
  { blobs, configuration }: { blobs: Pick<BlobStore, 'read'>; configuration: SliceDependencies['configuration'] },
  { id, blob }: RunningBatch,
): AsyncGenerator<{ n: number; body: Buffer }> {
  if (blob === null) throw new Error(`the input of ${id} is gone`);
  for await (const { number: n, bytes } of readLines(
    await blobs.read(blob),
    configuration.limits.jsonBytes + lineBytesMore,
  )) {
    const [place] = bytes ? jsonMembers(bytes, ['body']).found : [];
    if (!bytes || !place) throw new TypeError(`line ${n} of ${id} has no body`);
    yield { n, body: bytes.subarray(place.start, place.end) };
  }
}

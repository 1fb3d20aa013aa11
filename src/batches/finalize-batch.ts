/**
 * The last step of a batch: its lines become an output file and an error file. Each attempt writes blobs of its own, and the
 * transaction that ends the batch names both; so they appear once, whole and together, whatever died on the way.
 */
import { Readable } from 'node:stream';
import * as z from 'zod';
import { type FinalBatchState, isFinalBatch } from '../domain/batches/batch-states.ts';
import { outputLine } from '../domain/batches/output-line.ts';
import { type BlobStore, removeBlobs, type StoredBlob } from '../blobs/blob-store.ts';
import { insertFile } from '../files/file-rows.ts';
import { databaseFailure } from '../postgres/database.ts';
import { newBlobKey, newFileId } from '../postgres/new-ids.ts';
import type { BatchTools } from './batch-steps.ts';
import { endBatch } from './end-batch.ts';
import { countLines, endedLines } from './line-table.ts';
import { markFinalizing, readBatch, type StoredBatch } from './stored-batches.ts';

type Tools = Pick<BatchTools, 'database' | 'blobs'>;

/** 50,000 answers of 20 MiB would be more than any store holds; a batch of them has filled it before. */
const fileBytesMax = 1024 ** 4;

/** Makes the files of a batch whose lines have all ended, and ends it. Does nothing where that was done. */
export async function finalizeBatch(tools: Tools, batchId: string, signal: AbortSignal): Promise<FinalBatchState> {
  await markFinalizing(tools.database, batchId);
  const batch = await readBatch(tools.database, batchId);
  if (!batch) throw new TypeError(`no batch ${batchId}`);
  if (isFinalBatch(batch.state)) return batch.state;
  const counts = await countLines(tools.database, batchId);
  if (counts.open > 0) throw new Error(`${counts.open} lines of a batch to be finalized have not ended`);
  const stored: StoredBlob[] = [];
  let isEnded = false;
  try {
    const output = counts.output > 0 ? await store(tools, stored, batchId, true, signal) : undefined;
    const others = counts.others > 0 ? await store(tools, stored, batchId, false, signal) : undefined;
    const state = endOf(batch, counts.expired);
    isEnded = await endBatch(tools, batchId, async (client, locked) => {
      const ofBlob = async (blob: StoredBlob | undefined, name: string) =>
        blob === undefined
          ? null
          : (
              await insertFile(client, {
                ...{ id: newFileId(), accountId: batch.accountId, keyId: batch.keyId, purpose: 'batch_output' },
                ...{ filename: `${batchId}_${name}.jsonl`, bytes: blob.bytes, blob: blob.key },
                keptSeconds: batch.outputExpiresSeconds,
              })
            ).id;
      const final = locked.state === 'cancelling' ? 'cancelled' : state;
      await client.query(
        `update batches set state = $2, output_file_id = $3, error_file_id = $4, paused = null, ${final}_at = statement_timestamp()
         where id = $1`,
        [batchId, final, await ofBlob(output, 'output'), await ofBlob(others, 'error')],
      );
      await client.query(totalsText, [batchId]);
      return final;
    });
  } catch (error) {
    // In doubt the row may name them; what it doesn't name the sweep of the store removes after a day.
    if (databaseFailure(error) !== 'away') await removeBlobs(tools.blobs, keysOf(stored));
    throw error;
  }
  if (!isEnded) await removeBlobs(tools.blobs, keysOf(stored));
  const after = await readBatch(tools.database, batchId);
  if (!after || !isFinalBatch(after.state)) throw new TypeError(`${batchId} was finalized and has no end`);
  return after.state;
}

/** What its lines add up to in the end, whichever slice was the last to say so. */
const totalsText = `update batches b set completed = c.completed, failed = c.failed, cost = c.cost,
    usage = jsonb_build_object('input_tokens', c.input, 'input_tokens_details', jsonb_build_object('cached_tokens', c.cached),
      'output_tokens', c.output, 'output_tokens_details', jsonb_build_object('reasoning_tokens', c.reasoning),
      'total_tokens', c.input + c.output)
  from (
    select count(*) filter (where state = 'completed')::integer as completed,
      count(*) filter (where state in ('failed', 'unknown'))::integer as failed, coalesce(sum(cost), 0)::bigint as cost,
      coalesce(sum(input_tokens), 0)::bigint as input, coalesce(sum(cached_tokens), 0)::bigint as cached,
      coalesce(sum(output_tokens), 0)::bigint as output, coalesce(sum(reasoning_tokens), 0)::bigint as reasoning
    from batch_lines where batch_id = $1
  ) c where b.id = $1`;

const endOf = ({ state }: StoredBatch, expired: number): FinalBatchState =>
  state === 'cancelling' ? 'cancelled' : expired > 0 ? 'expired' : 'completed';

const keysOf = (blobs: readonly StoredBlob[]): string[] => blobs.map(({ key }) => key);

/** Writes one of the files as a new blob, and adds it to `stored`. */
async function store(
  { database, blobs }: Tools,
  stored: StoredBlob[],
  batchId: string,
  isOutput: boolean,
  signal: AbortSignal,
): Promise<StoredBlob> {
  const lines = async function* () {
    for await (const line of endedLines(database, batchId, isOutput)) {
      signal.throwIfAborted();
      const answer = line.answer ?? (line.answerBlob === null ? undefined : await wholeBlob(blobs, line.answerBlob));
      yield outputLine(batchId, line, answer);
    }
  };
  const blob = await blobs.write(newBlobKey('files'), Readable.from(lines()), { bytesMax: fileBytesMax });
  stored.push(blob);
  return blob;
}

async function wholeBlob(blobs: Pick<BlobStore, 'read'>, key: string): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of await blobs.read(key)) pieces.push(z.instanceof(Uint8Array).parse(piece));
  return Buffer.concat(pieces);
}

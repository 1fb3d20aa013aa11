/** From a parsed request to an accepted batch: one row, with the terms of the models that its lines may name. */
import type { ApiKey } from '../accounts/api-keys.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import { fingerprintOf } from '../api/idempotency-key.ts';
import { priceVersionOf } from '../api/price-version.ts';
import { lineFormOf } from '../domain/batches/endpoints.ts';
import { batchTermsOf } from '../domain/batches/terms.ts';
import type { Model } from '../domain/catalogue.ts';
import { GatewayError } from '../domain/errors.ts';
import type { BatchRequest } from '../domain/requests/batch-request.ts';
import { invalid } from '../domain/requests/parse.ts';
import { lockFile } from '../files/file-rows.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { newBatchId } from '../postgres/new-ids.ts';
import { batchOfKey, findOwnBatch, insertBatch, markBatchStarted, type ShownRow } from './stored-batches.ts';

type Tools = Pick<ApiDependencies, 'database' | 'configuration' | 'batchStarter' | 'background' | 'log'>;

export interface BatchOrder {
  key: ApiKey;
  requestId: string;
  request: BatchRequest;
  idempotencyKey: string | undefined;
}

/**
 * Accepts a batch and has it started. With an idempotency key that is bound to the same request it returns the batch of
 * that key. Refuses with `invalid_parameter` a file that is not the account's, or not for batches, and with
 * `idempotency_key_reused`.
 */
export async function createBatch(
  tools: Tools,
  { key, requestId, request, idempotencyKey }: BatchOrder,
): Promise<ShownRow> {
  const { database, configuration } = tools;
  const bodyHash = fingerprintOf({ kind: 'batch', fingerprint: request });
  const before = idempotencyKey === undefined ? undefined : await boundBatch(tools, key, idempotencyKey, bodyHash);
  if (before) return before;
  const id = newBatchId();
  const terms = batchTermsOf(modelsFor(key, configuration, request), priceVersionOf);
  const isNew = await inTransaction(database, async (client) => {
    const file = await lockFile(client, key.accountId, request.inputFileId);
    if (!file) throw invalid('input_file_id', 'must be the id of a file of this account');
    if (file.purpose !== 'batch') throw invalid('input_file_id', "must be a file whose purpose is 'batch'");
    return insertBatch(client, {
      ...{ id, accountId: key.accountId, keyId: key.id, requestId, request, terms },
      ...(idempotencyKey !== undefined && { idempotency: { key: idempotencyKey, bodyHash } }),
    });
  });
  if (!isNew) {
    const bound = idempotencyKey && (await boundBatch(tools, key, idempotencyKey, bodyHash));
    if (!bound) throw new TypeError('a batch was not made, and none was made before');
    return bound;
  }
  // The answer doesn't wait for the start: the batch is safe, and the workers' scan starts what this one can't.
  tools.background(startBatch(tools, { id, accountId: key.accountId, keyId: key.id, endpoint: request.endpoint }));
  return requireOwn(tools, key, id);
}

async function boundBatch(tools: Tools, key: ApiKey, idempotencyKey: string, bodyHash: Buffer) {
  const bound = await batchOfKey(tools.database, key.accountId, idempotencyKey);
  if (!bound) return undefined;
  if (!bound.bodyHash.equals(bodyHash)) {
    throw new GatewayError(
      'idempotency_key_reused',
      'This Idempotency-Key was already used with a different request. Use a new key.',
    );
  }
  return requireOwn(tools, key, bound.id);
}

async function requireOwn({ database }: Tools, { accountId }: ApiKey, id: string): Promise<ShownRow> {
  const batch = await findOwnBatch(database, accountId, id);
  if (!batch) throw new TypeError(`no batch ${id}`);
  return batch;
}

/** Those that a line may name: its lines are judged by them, and charged by their prices of this moment. */
function modelsFor(key: ApiKey, { models }: Tools['configuration'], { endpoint }: BatchRequest): Model[] {
  const { kinds } = lineFormOf(endpoint);
  return [...models.values()].filter(
    ({ id, kind, published }) => published && kinds.includes(kind) && (!key.models || key.models.includes(id)),
  );
}

async function startBatch(
  { database, batchStarter, log }: Tools,
  batch: Parameters<ApiDependencies['batchStarter']['start']>[0],
): Promise<void> {
  try {
    await batchStarter.start(batch);
    await markBatchStarted(database, batch.id);
  } catch (error) {
    log.warn({ err: error, batchId: batch.id }, 'a batch could not be started at once; the workers will');
  }
}

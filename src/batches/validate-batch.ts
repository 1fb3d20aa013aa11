/**
 * The first step of a batch: its file is read once, line by line, and every line judged before anything is held. Good lines
 * become rows as they come; where one is bad, none is left.
 */
import { findInputFile } from '../files/file-rows.ts';
import type { Configuration } from '../config/configuration.ts';
import { isFinalBatch } from '../domain/batches/batch-states.ts';
import type { LineMistake } from '../domain/batches/input-line.ts';
import { type BatchTerms, modelUnder } from '../domain/batches/terms.ts';
import { GatewayError } from '../domain/errors.ts';
import { batchInputsMax, batchMistakesMax } from '../domain/limits.ts';
import { BlobNotFound } from '../blobs/blob-store.ts';
import type { BatchTools, Validated } from './batch-steps.ts';
import { type CheckedLine, checkLine } from './check-line.ts';
import { failBatch } from './end-batch.ts';
import { insertLines, type NewLine, removeLines } from './line-table.ts';
import { type FileLine, readLines } from './read-lines.ts';
import { markInProgress, readBatch, type StoredBatch, termsOfBatch } from './stored-batches.ts';

/** What goes into one statement; some 0.2 MB. */
const chunkLines = 1_000;
/** Around the body: the names, the custom id, the address. */
const lineBytesMore = 8 * 1024;

/**
 * Validates a batch. Another attempt begins from the file's start again: rows that are there already stay as they are, so
 * that no line is there twice. Does nothing once it is past that.
 */
export async function validateBatch(tools: BatchTools, batchId: string, signal: AbortSignal): Promise<Validated> {
  const batch = await readBatch(tools.database, batchId);
  if (!batch) throw new TypeError(`no batch ${batchId}`);
  if (batch.state !== 'validating') {
    if (batch.state === 'cancelling') await removeLines(tools, batchId);
    return { state: batch.state, total: batch.total, mistakes: batch.errors?.length ?? 0 };
  }
  const reading = new Reading(tools, batch, await termsOfBatch(tools.database, batchId));
  await reading.run(signal);
  if (reading.mistakes.length > 0) {
    await removeLines(tools, batchId);
    await failBatch(tools, batchId, reading.mistakes);
  } else {
    await markInProgress(tools.database, batchId, { total: reading.lines, terms: reading.usedTerms() });
  }
  const after = await readBatch(tools.database, batchId);
  if (!after) throw new TypeError(`no batch ${batchId}`);
  if (after.state === 'cancelling' && after.inProgressAt === null) await removeLines(tools, batchId);
  return { state: after.state, total: isFinalBatch(after.state) ? 0 : after.total, mistakes: reading.mistakes.length };
}

/** One reading of the file. */
class Reading {
  readonly mistakes: LineMistake[] = [];
  lines = 0;
  readonly #tools: BatchTools;
  readonly #batch: StoredBatch;
  readonly #terms: BatchTerms;
  readonly #customIds = new Set<string>();
  readonly #models = new Set<string>();
  #inputs = 0;
  #chunk: NewLine[] = [];

  constructor(tools: BatchTools, batch: StoredBatch, terms: BatchTerms) {
    this.#tools = tools;
    this.#batch = batch;
    this.#terms = terms;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { blobs, database, findKey, configuration } = this.#tools;
    const { inputFileId, keyId, endpoint } = this.#batch;
    const [file, key] = await Promise.all([findInputFile(database, inputFileId), findKey(keyId)]);
    if (!file) return this.#note(fileMistake('file_not_found', 'The input file is no longer there.', 'input_file_id'));
    if (!key || key.revoked)
      return this.#note(fileMistake('invalid_api_key', 'The API key of the batch is no longer valid.'));
    const deps = { ...this.#tools, configuration: underTerms(configuration, this.#terms) };
    const { batchLines, jsonBytes } = configuration.limits;
    try {
      for await (const line of readLines(await blobs.read(file.blob), jsonBytes + lineBytesMore)) {
        signal.throwIfAborted();
        if (++this.lines > batchLines) {
          return this.#note(fileMistake('too_many_lines', `A batch may have at most ${batchLines} lines.`));
        }
        await this.#check({ deps, key, endpoint }, line);
        if (this.mistakes.length >= batchMistakesMax) return;
      }
    } catch (error) {
      if (!(error instanceof BlobNotFound)) throw error;
      return this.#note(fileMistake('file_not_found', 'The input file is no longer there.', 'input_file_id'));
    }
    if (this.lines === 0) return this.#note(fileMistake('empty_file', 'The input file has no lines.'));
    if (this.mistakes.length === 0) await this.#write();
  }

  /** Those of the models that its lines name. */
  usedTerms(): BatchTerms {
    return new Map([...this.#terms].filter(([model]) => this.#models.has(model)));
  }

  async #check(check: Parameters<typeof checkLine>[0], line: FileLine): Promise<void> {
    const { number, bytes, byteOffset, byteLength } = line;
    let checked: CheckedLine;
    try {
      if (!bytes) throw tooLong(this.#tools.configuration.limits.jsonBytes);
      checked = await checkLine(check, bytes);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return this.#note({ code: error.code, line: number, message: error.message, param: error.param });
    }
    const { customId, model, inputs } = checked;
    if (this.#customIds.has(customId)) {
      const message = `'custom_id' must be unique in the file; '${customId}' appeared before.`;
      return this.#note({ code: 'duplicate_custom_id', line: number, message, param: 'custom_id' });
    }
    this.#customIds.add(customId);
    this.#models.add(model);
    this.#inputs += inputs;
    if (this.#inputs > batchInputsMax) {
      const message = `A batch of embeddings may have at most ${batchInputsMax} inputs in all its lines.`;
      this.#inputs = -Infinity; // said once
      return this.#note({ code: 'too_many_inputs', line: number, message, param: 'body.input' });
    }
    if (this.mistakes.length > 0) return;
    this.#chunk.push({ n: number, customId, model, byteOffset, byteLength });
    if (this.#chunk.length === chunkLines) await this.#write();
  }

  async #write(): Promise<void> {
    const chunk = this.#chunk;
    this.#chunk = [];
    await insertLines(this.#tools.database, this.#batch.id, chunk);
  }

  #note(mistake: LineMistake): void {
    this.mistakes.push(mistake);
  }
}

/** The configuration as the batch was accepted under it: it knows no other models. */
const underTerms = (configuration: Configuration, terms: BatchTerms): Configuration => ({
  ...configuration,
  models: new Map(
    [...configuration.models].flatMap(([id, model]) => {
      const frozen = terms.get(id);
      return frozen ? [[id, modelUnder(model, frozen)]] : [];
    }),
  ),
});

const fileMistake = (code: string, message: string, param: string | null = null): LineMistake => ({
  ...{ code, line: null, message, param },
});

const tooLong = (bytesMax: number) =>
  new GatewayError('request_too_large', `The line is too long: a body may have at most ${bytesMax} bytes.`);

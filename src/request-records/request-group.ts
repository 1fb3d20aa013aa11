/** Records of requests that are written together: each is put into the bytes of its row, and counted, as it comes. */
import { randomInt } from 'node:crypto';
import { isWithinSpan } from '../domain/request-ids.ts';
import { CopyRows } from '../postgres/copy-rows.ts';
import { OutcomeCounts } from './outcome-counts.ts';
import type { RequestRecord } from './request-record.ts';

export const requestColumns = [
  ...['seq', 'created_at', 'account_id', 'key_id', 'request_id', 'is_id_given', 'method', 'path', 'model', 'status'],
  ...['code', 'latency_ms', 'first_token_ms', 'is_stream', 'provider', 'attempts', 'input_tokens'],
  ...['cached_input_tokens', 'output_tokens', 'cost', 'task_id', 'end_user', 'tag', 'client'],
] as const;

// Orders the requests of one millisecond: those of a process by their order, those of two processes by chance.
let seq = randomInt(2 ** 47);

export class RequestGroup {
  readonly rows = new CopyRows();
  readonly counts = new OutcomeCounts();

  get size(): number {
    return this.rows.count;
  }

  /** Keeps nothing of the record itself. Throws for what fits no row, and is then as it was before. */
  add(record: RequestRecord): void {
    try {
      this.#addRow(record);
    } catch (error) {
      this.rows.dropLast();
      throw error;
    }
    this.counts.add(record);
  }

  #addRow(record: RequestRecord): void {
    const { rows } = this;
    rows.begin(requestColumns.length);
    rows.bigint(++seq);
    rows.moment(record.createdAt);
    rows.text(record.accountId);
    rows.text(record.keyId);
    rows.text(record.requestId);
    rows.boolean(!isWithinSpan(record.requestId, record.createdAt));
    rows.text(record.method);
    rows.text(record.path);
    rows.text(record.model);
    rows.integer(record.status);
    rows.text(record.code);
    rows.integer(record.latencyMs);
    rows.integer(record.firstTokenMs);
    rows.boolean(record.isStream);
    rows.text(record.provider);
    rows.json(record.attempts);
    rows.bigint(record.inputTokens);
    rows.bigint(record.cachedInputTokens);
    rows.bigint(record.outputTokens);
    rows.bigint(record.cost);
    rows.text(record.taskId);
    rows.text(record.endUser);
    rows.text(record.tag);
    rows.text(record.client);
  }
}

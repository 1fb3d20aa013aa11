/** What is kept of a request that came with a key. */
import type { AccountId, KeyId } from '../domain/ids.ts';
import type { Money } from '../domain/money.ts';
import type { Attempt } from './call-record.ts';

export interface RequestRecord {
  /** When its head was there. */
  createdAt: Date;
  accountId: AccountId;
  keyId: KeyId;
  requestId: string;
  method: string;
  path: string;
  model: string | undefined;
  /** 499: its caller left before an answer began. */
  status: number;
  /** Of its error; of an answer that broke off, why. */
  code: string | undefined;
  latencyMs: number;
  firstTokenMs: number | undefined;
  isStream: boolean;
  provider: string | undefined;
  attempts: readonly Attempt[] | undefined;
  inputTokens: number | undefined;
  cachedInputTokens: number | undefined;
  outputTokens: number | undefined;
  cost: Money | undefined;
  taskId: string | undefined;
  endUser: string | undefined;
  tag: string | undefined;
  client: string | undefined;
}

/**
 * A process that takes steps over the real database, forked by `ledger-processes.ts`: it takes the sequences that it is
 * sent, several at a time, and reports what came of each. It may be killed at any moment.
 */
import * as z from 'zod';
import { GatewayError } from '../../src/domain/errors.ts';
import type { AccountId, KeyId, TaskId, TransferId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/money.ts';
import { type Database, isConnectionError, openDatabase } from '../../src/postgres/database.ts';
import { type CallHold, CallLedger } from '../../src/ledger/call-ledger.ts';
import { GroupCommitter } from '../../src/ledger/commit/group-commit.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import { Owner } from '../../src/ledger/sweep.ts';
import {
  type Actor,
  type FoundTask,
  isKeyedRequest,
  newestMax,
  type Step,
  takeStep,
  type Reported,
} from './ledger-steps.ts';
import { callSale } from './calls.ts';
import { type Customer, ledgerKey } from './money.ts';

export interface Sequence {
  id: number;
  customers: readonly Customer[];
  steps: readonly Step[];
}

/** Without an id: the child is ready for its first sequence. */
export interface Report {
  id: number | undefined;
  reported: Reported[];
  /** What should never be thrown. */
  failure?: string;
}

/** A short lease, so that others give back what a killed process held while the rest goes on. */
const lease = { renewalMs: 500, leaseSeconds: 3, admitsMsMax: 2_000, streamsMsMax: 2_500, sweepEveryMs: 500 };

async function main(url: string): Promise<void> {
  const database = openDatabase(url, { onIdleError: () => undefined, connectionsMax: 3 });
  const groups = new GroupCommitter(database, ledgerKey);
  const calls = new CallLedger(groups);
  const owner = new Owner({ database, calls, times: lease, onError: () => undefined, onSwept: () => undefined });
  await owner.open();
  const actor: Actor = {
    ledger: new Ledger(groups),
    calls,
    get owner() {
      return owner.id;
    },
    newestTasks: (account) => newestTasks(database, account),
    newestCalls: (account) => newestCalls(database, account),
  };
  process.on('message', (sequence: Sequence) => {
    void takeAll(actor, sequence).then((report) => process.send?.(report));
  });
  process.on('disconnect', () => process.exit());
  process.send?.({ id: undefined, reported: [] } satisfies Report);
}

async function takeAll(actor: Actor, { id, customers, steps }: Sequence): Promise<Report> {
  const reported: Reported[] = [];
  for (const step of steps) {
    try {
      reported.push(await takeStep(actor, customers, step));
    } catch (error) {
      if (isExpected(error)) continue;
      return {
        id,
        reported,
        failure: `${JSON.stringify(step)}: ${error instanceof Error ? error.stack : String(error)}`,
      };
    }
  }
  return { id, reported };
}

/** A connection that was cut too often; the outcome is unknown to the parent. */
const isExpected = (error: unknown) =>
  (error instanceof GatewayError && ['not_ready', 'overloaded'].includes(error.code)) || isConnectionError(error);

/** The newest tasks of an account, of all processes. */
async function newestTasks({ pool }: Database, account: string): Promise<FoundTask[]> {
  const { rows } = await pool.query({
    name: 'newest-tasks',
    text: 'select account_id, key_id, id from tasks where account_id = $1 order by created_at desc limit $2',
    values: [account, newestMax],
  });
  return rows.map((row) => taskRow.parse(row));
}

async function newestCalls({ pool }: Database, account: string): Promise<CallHold[]> {
  const { rows } = await pool.query({
    name: 'newest-calls',
    text: `select h.transfer_id, h.account_id, h.key_id, h.amount, h.created_at, h.subject, e.seq
      from entries e join holds h using (transfer_id)
      where e.account_id = $1 and e.type = 'hold' and e.task_id is null order by e.seq desc limit $2`,
    values: [account, newestMax],
  });
  return rows.map((row) => callRow.parse(row));
}

const taskRow = z
  .object({ account_id: z.string(), key_id: z.string(), id: z.string() })
  .transform((row) => ({ account: row.account_id as AccountId, key: row.key_id as KeyId, task: row.id as TaskId }));

const callRow = z
  .object({
    transfer_id: z.string().transform((id) => id as TransferId),
    account_id: z.string().transform((id) => id as AccountId),
    key_id: z.string().transform((id) => id as KeyId),
    amount: z.bigint().transform(micros),
    seq: z.bigint(),
    created_at: z.date(),
    subject: z.string(),
  })
  .transform((row): CallHold => ({
    ...{ account: row.account_id, key: row.key_id, transferId: row.transfer_id, amount: row.amount },
    ...{
      seq: row.seq,
      admittedAt: row.created_at,
      requestId: row.subject,
      model: 'sim-chat',
      sale: callSale,
      isKeyed: isKeyedRequest(row.subject),
    },
  }));

if (process.send !== undefined && process.argv[2] !== undefined) await main(process.argv[2]);

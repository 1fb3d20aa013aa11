/** A gateway on a line to its database that loses commits or their answers, and what tests of doubt ask of both. */
import assert from 'node:assert/strict';
import type { Logger } from 'pino';
import { freshDatabase, fromTestRun } from './database.ts';
import { startTestGateway, type TestGateway } from './gateway.ts';
import { type Line, openLine } from './line.ts';
import { assertLedgerAddsUp } from './money.ts';
import { until } from './process.ts';

export type Customer = Awaited<ReturnType<TestGateway['newKey']>>;

/** A text of a request by which the bytes of its commit are known; the prompt of images, or the reason of bookings. */
export const mark = 'the commit with this text';
/** The statement with a booking's money, which goes out with its commit; its act is written before. */
export const bookingBytes = 'write-money-locked';

export interface DoubtfulGateway {
  gateway: TestGateway;
  line: Line;
  /** The same database, by no line. */
  databaseUrl: string;
  /**
   * Loses the commit of what was just sent (`silent`), or its answer (`mute`), cuts the database off, and waits until it is
   * in doubt. `at`: what the bytes with the commit have in them.
   */
  loseCommit(how: 'mute' | 'silent', answer: Promise<unknown>, customer: Customer, at?: string): Promise<void>;
  isInDoubt(): Promise<boolean>;
  tasksOf(customer: Customer): Promise<string[]>;
  /** How many bookings the account has with `mark` as their reason. */
  bookingsOf(customer: Customer): Promise<number>;
  /** To be called after each test: the line is as before, and the ledger adds up. */
  restore(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts it; `stop` it in an `after` hook. */
export async function startDoubtfulGateway(options: { log?: Logger } = {}): Promise<DoubtfulGateway> {
  const made = await freshDatabase();
  const line = await openLine(made.url);
  const servers = { databaseUrl: line.url, temporalAddress: fromTestRun('TEMPORAL_ADDRESS') };
  const gateway = await startTestGateway({ servers, ...options });
  const { pool } = made.database;
  const doubtful: DoubtfulGateway = {
    gateway,
    line,
    databaseUrl: made.url,
    async loseCommit(how, answer, customer, at = mark) {
      const failed = line.fails(how, at);
      const early = answer.then(
        (reported) => assert.fail(JSON.stringify(reported)),
        (error: unknown) => assert.fail(String(error)),
      );
      early.catch(() => undefined); // what comes later is the test's
      await Promise.race([failed, early]);
      if (how === 'mute') {
        await until('the commit', async () => {
          const done = (await doubtful.tasksOf(customer)).length + (await doubtful.bookingsOf(customer));
          return done > 0 ? true : undefined;
        });
      }
      await line.cut();
      await Promise.race([early, until('doubt', async () => ((await doubtful.isInDoubt()) ? true : undefined))]);
    },
    async isInDoubt() {
      const { body } = await gateway.get('/metrics');
      return /^tollgate_ledger_moves_in_doubt [1-9]/m.test(String(body['text']));
    },
    async tasksOf({ account }) {
      const text = 'select id from tasks where account_id = $1';
      return (await pool.query<{ id: string }>(text, [account])).rows.map(({ id }) => id);
    },
    async bookingsOf({ account }) {
      const text = 'select 1 from entries where account_id = $1 and reason = $2';
      return (await pool.query(text, [account, mark])).rowCount ?? 0;
    },
    async restore() {
      await line.restore();
      await assertLedgerAddsUp(made.database, gateway.core.secrets.first.ledger);
    },
    async stop() {
      await line.restore();
      await gateway.stop();
      await line.close();
      await made.drop();
    },
  };
  return doubtful;
}

/** The answer once the database is back. */
export const untilAnswered = <T extends { status: number }>(ask: () => Promise<T>): Promise<T> =>
  until('an answer', async () => {
    const answer = await ask();
    return answer.status === 503 ? undefined : answer;
  });

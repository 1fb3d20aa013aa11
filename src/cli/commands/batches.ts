/** `tollgate batches list|show|cancel`: how batches stand. Never shows requests, answers or addresses. */
import { type Command, Option } from 'commander';
import {
  type BatchFacts,
  findBatchFacts,
  type LineErrors,
  lineErrorsOf,
  listBatchFacts,
} from '../../batches/batch-reports.ts';
import { markCancellingAs } from '../../batches/stored-batches.ts';
import { linesPerMinute } from '../../domain/batches/batch-pace.ts';
import { batchObject } from '../../domain/batches/batch-object.ts';
import { type BatchState, batchStates } from '../../domain/batches/batch-states.ts';
import { amountText } from '../../domain/money.ts';
import { unixSeconds } from '../../domain/unix-seconds.ts';
import { withDatabase } from '../administration.ts';
import { wholeNumber } from '../options.ts';
import { print, Refusal, show, table } from '../output.ts';
import { known, reasonOf } from './accounts.ts';

const limitMax = 1_000;

interface ListOptions {
  account?: string;
  state?: BatchState;
  limit: number;
  json?: boolean;
}

export function addBatchCommands(program: Command): void {
  const batches = program.command('batches').description('list, show and cancel batches');

  batches
    .command('list')
    .description('list batches, newest first')
    .option('--account <id>', 'only of this account')
    .addOption(new Option('--state <state>', 'only in this state').choices(batchStates))
    .option('--limit <count>', 'maximum number of rows', wholeNumber(limitMax), 50)
    .option('--json', 'print JSON')
    .action(async ({ account, state, limit, json }: ListOptions) =>
      withDatabase(async ({ currency, database }) => {
        const of = account === undefined ? undefined : (await known(database, account)).id;
        // One more than is shown, to see whether there are more.
        const found = await listBatchFacts(database, { account: of, states: state && [state], limit: limit + 1 });
        const [shown, has_more] = [found.slice(0, limit), found.length > limit];
        if (json === true) {
          print(JSON.stringify({ object: 'list', data: shown.map(factsObject), has_more, next_cursor: null }));
          return;
        }
        print(table(headOf(currency), shown.map(cells)));
        if (has_more) print(`More than ${limit} rows match. Use --limit to show more.`);
      }),
    );

  batches
    .command('show <id>')
    .description('show a batch, its mistakes, and the errors of its lines by code')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: { json?: boolean }) =>
      withDatabase(async ({ currency, database }) => {
        const batch = (await findBatchFacts(database, id)) ?? noBatch(id);
        const errors = await lineErrorsOf(database, id);
        show({ ...factsObject(batch), line_errors: errors }, json, batchText(batch, errors, currency));
      }),
    );

  batches
    .command('cancel <id>')
    .description('have no more lines of a batch sent; those under way are finished and charged')
    .option('--reason <text>', 'stored in the audit log', reasonOf)
    .option('--json', 'print the batch as JSON')
    .action(async (id: string, { reason, json }: { reason?: string; json?: boolean }) =>
      withDatabase(async ({ database, by }) => {
        const state = (await markCancellingAs(by, id, reason)) ?? noBatch(id);
        const batch = (await findBatchFacts(database, id)) ?? noBatch(id);
        if (state !== 'cancelling') {
          throw new Refusal(`Batch ${id} can no longer be cancelled: its state is ${state}.`);
        }
        show(factsObject(batch), json, `${id} is being cancelled; no more of its lines are sent.`);
      }),
    );
}

function noBatch(id: string): never {
  throw new Refusal(`Batch ${id} not found.`);
}

/** As the API shows it, and what only operators see besides. */
const factsObject = (batch: BatchFacts) => ({
  ...batchObject(batch),
  account_id: batch.accountId,
  key_id: batch.keyId,
  request_id: batch.requestId,
  models: batch.models,
  started: batch.startedAt && unixSeconds(batch.startedAt),
  seen: batch.seenAt && unixSeconds(batch.seenAt),
});

const headOf = (currency: string) => [
  ...['ID', 'ACCOUNT', 'ENDPOINT', 'STATE', 'LINES', 'DONE', 'FAILED', `COST (${currency})`, 'CREATED', 'SEEN'],
];
const cells = (batch: BatchFacts): string[] => [
  batch.id,
  batch.accountId,
  batch.endpoint,
  stateText(batch),
  String(batch.total),
  String(batch.completed),
  String(batch.failed),
  amountText(batch.cost),
  moment(batch.createdAt),
  moment(batch.seenAt),
];

/** `in_progress (insufficient_balance)`: why nothing is sent at the moment. */
const stateText = ({ state, paused }: BatchFacts): string => (paused === null ? state : `${state} (${paused})`);

/** A batch for people: a line a fact, then what is wrong. */
function batchText(batch: BatchFacts, errors: readonly LineErrors[], currency: string): string {
  const { total, completed, failed, cost, held } = batch;
  const endedAt = batch.completedAt ?? batch.failedAt ?? batch.expiredAt ?? batch.cancelledAt;
  const pace = linesPerMinute(batch, endedAt, new Date());
  const facts = table(
    [batch.id, stateText(batch)],
    [
      ['endpoint', batch.endpoint],
      ['models', plain(batch.models.join(', '))],
      ['account', batch.accountId],
      ['key', batch.keyId],
      ['request', plain(batch.requestId)],
      ['lines', `${total}: ${completed} completed, ${failed} failed`],
      ['pace', pace === null ? '-' : `${pace} lines/min`],
      ['cost', `${amountText(cost)} ${currency}`],
      ['held', `${amountText(held)} ${currency}`],
      ['input', batch.inputFileId],
      ['output', batch.outputFileId ?? '-'],
      ['errors', batch.errorFileId ?? '-'],
      ['created', moment(batch.createdAt)],
      ['started', moment(batch.startedAt)],
      ['seen', moment(batch.seenAt)],
      ['ended', moment(endedAt)],
      ['expires', moment(batch.expiresAt)],
    ],
  );
  const mistakes = (batch.errors ?? []).map(({ line, code, message }) => [String(line ?? '-'), code, plain(message)]);
  const lines = errors.map(({ code, lines: count, first }) => [plain(code), String(count), String(first)]);
  return [
    facts,
    ...(mistakes.length > 0 ? [table(['LINE', 'CODE', 'MISTAKE'], mistakes)] : []),
    ...(lines.length > 0 ? [table(['ERROR', 'LINES', 'FIRST LINE'], lines)] : []),
  ].join('\n\n');
}

const cellCharactersMax = 200;

/** Words of others on one line, without what would steer a terminal. */
const plain = (text: string): string => text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').slice(0, cellCharactersMax) || '-';

const moment = (date: Date | null): string => (date ? date.toISOString().replace(/\.\d+Z$/, 'Z') : '-');

/** What must hold of a drill's batch when it has ended, whatever was killed meanwhile. */
import * as z from 'zod';
import { customIdBegin, isRefused, lineCost, linePrice, type LineService } from './batch-service.ts';
import { auditOf } from './checks.ts';
import { type Buyer, opening, type World } from './world.ts';

export interface BatchEvidence {
  world: World;
  service: LineService;
  buyer: Buyer;
  batch: string;
  /** Of the input. */
  lines: number;
}

export interface BatchVerdict {
  byState: Record<string, number>;
  /** Micro-units: what the lines say, what the ledger says, and what the usage in the output file comes to. */
  lineCosts: bigint;
  captures: bigint;
  outputCosts: bigint;
  /** Lines that the service was given more than once. */
  sentTwice: number;
  /** Every broken promise in a sentence. */
  broken: string[];
}

/** As `batches.resend` has it where nothing is configured. */
const sendsMax = 2;

export async function judgeBatch(evidence: BatchEvidence): Promise<BatchVerdict> {
  const { world, service, buyer, lines } = evidence;
  const broken = [...world.endedByThemselves];
  const batch = await batchRow(evidence);
  const rows = await lineRows(evidence);
  const output = await fileLines(evidence, batch.outputFile);
  const errors = await fileLines(evidence, batch.errorFile);
  const is = (holds: boolean, sentence: string) => {
    if (!holds) broken.push(sentence);
  };

  is(batch.state === 'completed', `the batch is ${batch.state}`);
  is(rows.length === lines && batch.total === lines, `${lines} lines went in, ${rows.length} are there`);
  const ended = rows.filter(({ state }) => ['completed', 'failed', 'unknown'].includes(state)).length;
  is(ended === lines, `${lines - ended} lines are not final`);
  is(output.length + errors.length === lines, `the files have ${output.length} and ${errors.length} lines of ${lines}`);
  const ids = new Set([...output, ...errors].map(({ customId }) => customId));
  is(ids.size === output.length + errors.length, 'a custom id is in the files twice');
  const missing = rows.filter(({ customId }) => !ids.has(customId));
  is(missing.length === 0, `${missing.length} custom ids are in no file, such as ${missing[0]?.customId}`);
  const inOrder = (file: readonly FileLine[]) =>
    file.every(({ customId }, at) => at === 0 || numberOf(file[at - 1]?.customId) < numberOf(customId));
  is(inOrder(output) && inOrder(errors), 'a file is not in the order of the lines');

  for (const row of rows) broken.push(...mistakesOf(row, service.sends.get(row.n) ?? 0));
  const lineCosts = rows.reduce((sum, { cost }) => sum + (cost ?? 0n), 0n);
  const outputCosts = output.reduce((sum, { cost }) => sum + cost, 0n);
  const money = await moneyOf(world, buyer);
  is(money.captures === lineCosts, `${money.captures} was captured, and the lines cost ${lineCosts}`);
  is(outputCosts === lineCosts, `by the output file the lines cost ${outputCosts}, by their rows ${lineCosts}`);
  is(batch.cost === lineCosts, `the batch says that it cost ${batch.cost}, its lines ${lineCosts}`);
  is(money.held === 0n, `${money.held} is still held`);
  is(money.available === opening - lineCosts, `${money.available} is left, and not ${opening - lineCosts}`);
  broken.push(...(await auditOf(world)));
  const byState: Record<string, number> = {};
  for (const { state } of rows) byState[state] = (byState[state] ?? 0) + 1;
  const sentTwice = [...service.sends.values()].filter((count) => count > 1).length;
  return { byState, lineCosts, captures: money.captures, outputCosts, sentTwice, broken };
}

const amount = z.bigint();
const lineRow = z.object({
  ...{ n: z.int(), customId: z.string(), state: z.string(), errorCode: z.string().nullable(), cost: amount.nullable() },
  ...{ captures: z.int(), charged: amount },
});
type LineRow = z.output<typeof lineRow>;

/** A capture for each answer, of just what the service says that was used, and nothing for anything else. */
function mistakesOf({ n, state, errorCode, cost, captures, charged }: LineRow, sends: number): string[] {
  const due = state === 'completed' ? lineCost(n) : 0n;
  const isCharged = captures === (state === 'completed' ? 1 : 0) && charged === due && cost === due;
  const isUnknown = state === 'unknown' && errorCode === 'outcome_unknown' && sends <= sendsMax;
  const isRight = isUnknown || state === (isRefused(n) ? 'failed' : 'completed');
  return [
    ...(isCharged
      ? []
      : [`line ${n} is ${state}: ${captures} captures of ${charged}, cost ${cost}, where ${due} is due`]),
    ...(isRight ? [] : [`line ${n} is ${state} ${errorCode ?? ''}`]),
    ...(sends <= sendsMax ? [] : [`line ${n} was sent ${sends} times`]),
    ...(sends > 0 || state === 'unknown' ? [] : [`line ${n} is ${state}, and was never sent`]),
  ];
}

async function lineRows({ world, batch }: BatchEvidence): Promise<LineRow[]> {
  const { rows } = await world.database.pool.query(
    `select l.n, l.custom_id as "customId", l.state, l.error_code as "errorCode", l.cost,
       count(e.*) filter (where e.type = 'capture')::int as captures, coalesce(sum(e.d_revenue), 0)::bigint as charged
     from batch_lines l left join entries e on e.transfer_id = l.transfer_id
     where l.batch_id = $1 group by l.batch_id, l.n order by l.n`,
    [batch],
  );
  return rows.map((read) => lineRow.parse(read));
}

const batchColumns = z.object({
  ...{ state: z.string(), total: z.int(), cost: amount },
  ...{ outputFile: z.string().nullable(), errorFile: z.string().nullable() },
});

async function batchRow({ world, batch }: BatchEvidence): Promise<z.output<typeof batchColumns>> {
  const { rows } = await world.database.pool.query(
    `select state, total, cost, output_file_id as "outputFile", error_file_id as "errorFile" from batches where id = $1`,
    [batch],
  );
  return batchColumns.parse(rows[0]);
}

const moneyRow = z.object({ captures: amount, held: amount, available: amount });

/** All that the account was charged: it has nothing but the batch. */
async function moneyOf({ database }: World, { account }: Buyer): Promise<z.output<typeof moneyRow>> {
  const { rows } = await database.pool.query(
    `select coalesce(sum(d_revenue), 0)::bigint as captures, (select held from accounts where id = $1) as held,
       (select available from accounts where id = $1) as available
     from entries where account_id = $1 and type = 'capture'`,
    [account],
  );
  return moneyRow.parse(rows[0]);
}

interface FileLine {
  customId: string;
  /** Micro-units, by the usage in the answer. */
  cost: bigint;
}

const usage = z.object({ prompt_tokens: z.int(), completion_tokens: z.int() });
const fileLine = z
  .object({
    custom_id: z.string(),
    response: z.object({ status_code: z.int(), body: z.object({ usage: usage.optional() }) }).nullable(),
  })
  .transform(({ custom_id: customId, response }): FileLine => {
    const used = response?.body.usage;
    const cost = used ? used.prompt_tokens * linePrice.input + used.completion_tokens * linePrice.output : 0;
    return { customId, cost: BigInt(cost) };
  });

/** The lines of a file as its owner downloads it. */
async function fileLines({ world, buyer }: BatchEvidence, file: string | null): Promise<FileLine[]> {
  if (file === null) return [];
  const headers = { Authorization: `Bearer ${buyer.key}` };
  const answer = await fetch(`${world.urls[0]}/v1/files/${file}/content`, { headers });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`the file ${file} was answered ${answer.status}: ${text}`);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => fileLine.parse(JSON.parse(line)));
}

const numberOf = (customId = ''): number => Number(customId.replace(customIdBegin, ''));

/** `tollgate reconcile`: a vendor's bill or usage against what the ledger booked of that provider. */
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { compareBill, periodSlackMs } from '../../domain/reconciliation/compare.ts';
import type { BilledExport } from '../../domain/reconciliation/billed-row.ts';
import { listBooked } from '../../ledger/booked-costs.ts';
import { ExportFault } from '../../reconciliation/export-fault.ts';
import { readExport } from '../../reconciliation/read-export.ts';
import { type DifferenceRecord, type Reconciliation, reportOf, type SideRecord } from '../../reconciliation/report.ts';
import { keepReconciliation } from '../../reconciliation/results.ts';
import { withDatabase } from '../administration.ts';
import { moment, wholeNumber } from '../options.ts';
import { print, Refusal, ReportedEnd, table } from '../output.ts';

interface Options {
  provider: string;
  file: string;
  from: Date;
  to: Date;
  key?: string;
  tolerance: number;
  limit: number;
  json?: boolean;
}

const limitMax = 1_000_000;

export function addReconcileCommand(program: Command): void {
  program
    .command('reconcile')
    .description(
      "compare a provider's bill or usage export with the ledger; exits 1 if they differ by more than the tolerance",
    )
    .requiredOption('--provider <name>', 'the provider of tollgate.yaml')
    .requiredOption('--file <path>', 'the export: JSON of OpenAI, Anthropic, fal or Replicate, or CSV')
    .requiredOption('--from <time>', 'ISO 8601; a day begins at midnight UTC', moment)
    .requiredOption('--to <time>', 'ISO 8601; no longer included', moment)
    .option('--key <id>', "only rows of this key of yours, as the provider's file calls it")
    .option('--tolerance <share>', 'the most that may differ, as a share of the sum of the file', shareOf, 0.01)
    .option('--limit <count>', 'maximum number of differences to print', wholeNumber(limitMax), 50)
    .option('--json', 'print the result as JSON')
    .action(async (options: Options, command: Command) => {
      const { provider, from, to, key, tolerance } = options;
      if (from >= to) command.error("error: '--from' must be before '--to'");
      const isBeyond = await withDatabase(async ({ currency, database, configuration }) => {
        const settings = configuration.providers.get(provider);
        if (!settings) {
          const names = [...configuration.providers.keys()].join(', ');
          throw new Refusal(`The configuration has no provider ${provider}; it has ${names}.`);
        }
        const written = ofKey(await readFile(options.file, settings.reconcileColumns), key);
        const bill = withCurrency(written, currency);
        const slack = [new Date(from.getTime() - periodSlackMs), new Date(to.getTime() + periodSlackMs)] as const;
        const booked = await listBooked(database, provider, ...slack);
        const period = { from, to };
        const comparison = compareBill(bill, booked, { period, gatewayCurrency: currency });
        if (comparison.billed.rows === 0 && bill.rows.length > 0)
          throw new Refusal(`No row of ${options.file} lies in the period; they are of ${spanOf(bill)}.`);
        const result = { provider, period, share: comparison.share, tolerance, report: reportOf(bill, comparison) };
        await keepReconciliation(database, result);
        if (options.json === true) print(JSON.stringify(resultObject(result)));
        else for (const line of linesOf(result, options.limit)) print(line);
        return result.share > tolerance;
      });
      if (isBeyond) throw new ReportedEnd(1);
    });
}

async function readFile(file: string, columns: Parameters<typeof readExport>[1]): Promise<BilledExport> {
  try {
    return await readExport(file, columns);
  } catch (error) {
    if (error instanceof ExportFault) throw new Refusal(`${file}: ${error.message}.`);
    if (error instanceof Error && 'code' in error && typeof error.code === 'string')
      throw new Refusal(`${file} can't be read (${error.code}).`);
    throw error;
  }
}

/** Costs without a currency are in the gateway's. */
const withCurrency = (bill: BilledExport, currency: string): BilledExport =>
  bill.rows.some(({ cost }) => cost) ? { ...bill, currency: bill.currency ?? currency } : bill;

function ofKey(bill: BilledExport, key: string | undefined): BilledExport {
  if (key === undefined) return bill;
  const rows = bill.rows.filter((one) => one.key === key);
  if (rows.length > 0) return { ...bill, rows };
  const keys = [...new Set(bill.rows.flatMap((one) => one.key ?? []))];
  throw new Refusal(
    keys.length > 0
      ? `No row is of the key ${key}; the file has ${keys.slice(0, 8).join(', ')}.`
      : 'The file names no keys.',
  );
}

function spanOf({ rows }: BilledExport): string {
  const times = rows.map(({ at }) => at.getTime());
  const [first, last] = times.reduce(([a, b], time) => [Math.min(a, time), Math.max(b, time)], [Infinity, -Infinity]);
  return `${new Date(first).toISOString()} to ${new Date(last).toISOString()}`;
}

function* linesOf({ provider, period, share, tolerance, report }: Reconciliation, limit: number): Iterable<string> {
  const { form, currency, billed, booked, differences } = report;
  yield `${provider}, ${period.from.toISOString()} to ${period.to.toISOString()}: ${form}, compared by ${report.by}`;
  const sums = [billed, booked].map((side) => sideCells(side, currency));
  yield table(
    ['', 'ROWS', 'CALLS', 'INPUT', 'CACHED', 'CACHE WRITE', 'OUTPUT', 'COST'],
    [
      ['billed', ...(sums[0] ?? [])],
      ['booked', ...(sums[1] ?? [])],
    ],
  );
  if (differences.length > 0) yield '';
  for (const difference of differences.slice(0, limit)) yield differenceLine(difference);
  if (differences.length > limit) yield `and ${differences.length - limit} more; use --limit or --json to see them`;
  const verdict = share > tolerance ? 'beyond' : 'within';
  yield `${report.billed_not_booked} billed and not booked, ${report.booked_not_billed} booked and not billed, ${report.differs} differ`;
  yield `Differences of ${report.differing} ${unitOf(report)} are ${percentOf(share)} of the file, ${verdict} the tolerance of ${percentOf(tolerance)}.`;
}

const words = {
  billed_not_booked: 'billed, not booked',
  booked_not_billed: 'booked, not billed',
  differs: 'differs',
} as const;

function differenceLine({ kind, subject, at, model, fields, place, billed, booked }: DifferenceRecord): string {
  const about = [
    subject,
    subject.startsWith(at) ? '' : at,
    subject.includes(model ?? '') ? '' : (model ?? ''),
    place ?? '',
  ];
  const values = fields.map((field) => `${field} ${valueOf(billed, field)} billed, ${valueOf(booked, field)} booked`);
  const cost = billed?.cost ?? booked?.cost;
  const what = fields.length > 0 ? values.join('; ') : cost ? `cost ${cost}` : '';
  return [words[kind], about.filter((text) => text !== '').join(', '), what].filter((text) => text !== '').join(': ');
}

const valueOf = (side: SideRecord | null, field: string): string =>
  String(Object.entries(side ?? {}).find(([name]) => name === field)?.[1] ?? 'none');

const sideCells = (side: SideRecord, currency: string | null): string[] => [
  ...[
    side.rows,
    side.calls,
    side.input_tokens,
    side.cached_input_tokens,
    side.cache_write_tokens,
    side.output_tokens,
  ].map((count) => String(count ?? '-')),
  side.cost === null ? '-' : `${side.cost} ${currency ?? ''}`.trim(),
];

const unitOf = ({ measure, currency }: Reconciliation['report']): string =>
  measure === 'cost' ? (currency ?? '') : measure;

const percentOf = (share: number): string => `${Number((share * 100).toFixed(4))} %`;

const resultObject = ({ provider, period, share, tolerance, report }: Reconciliation) => ({
  object: 'reconciliation',
  ...{ provider, from: period.from.toISOString(), to: period.to.toISOString(), share, tolerance },
  agrees: share <= tolerance,
  ...report,
});

function shareOf(text: string): number {
  const share = /^\d{1,3}(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
  if (share >= 0) return share;
  throw new InvalidArgumentError('Must be a share of 0 or more, such as 0.01 for one percent.');
}

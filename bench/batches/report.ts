/** The tables of the benchmark of batches and what is promised of them: medians, ratios taken within a round. */
import { type CpuTimes, sumOf } from '../processes.ts';
import { markdownTable, type Verdict } from '../report.ts';
import { median, percentile } from '../statistics.ts';

/** One side of a round. */
export interface Measured {
  side: 'loop' | 'batch';
  round: number;
  calls: number;
  seconds: number;
  cpu: CpuTimes;
}

/** How long paced interactive calls took, beside no batch and beside ten. */
export interface Beside {
  round: number;
  aloneMs: readonly number[];
  besideMs: readonly number[];
}

const temporalMsMax = 1;
const besideRatioMax = 1.2;

const titles = ['', 'a second', 'CPU ms a call: gateway', 'PostgreSQL', 'Temporal', 'all'];
const words = { loop: 'a client that loops', batch: 'the lines of a batch' };

export function tablesOf(measured: readonly Measured[], beside: readonly Beside[]): string {
  const rows = (['loop', 'batch'] as const).map((side) => {
    const of = measured.filter((one) => one.side === side);
    const middle = (value: (one: Measured) => number) => median(of.map(value));
    const each = (value: (cpu: CpuTimes) => number) => middle(({ cpu, calls }) => value(cpu) / calls).toFixed(2);
    return [
      words[side],
      middle(({ calls, seconds }) => calls / seconds).toFixed(0),
      ...[
        each(({ own }) => own),
        each(({ postgres }) => postgres),
        each(({ rest }) => rest),
        each((cpu) => sumOf(cpu)),
      ],
    ];
  });
  const ratios = [
    `a second, times the loop's: ${shown(ratiosOf(measured, ({ calls, seconds }) => calls / seconds))}`,
    `CPU of a line, times a call's: ${shown(ratiosOf(measured, ({ cpu, calls }) => sumOf(cpu) / calls))}`,
    ...(beside.length === 0
      ? []
      : [
          `interactive p99 beside ten batches, times alone: ${pooledRatio(beside).toFixed(2)} of all calls, by rounds ${shown(besideRatios(beside))}`,
        ]),
  ];
  return `${markdownTable(titles, rows)}\n${ratios.map((line) => `- ${line}\n`).join('')}`;
}

export function verdictsOf(measured: readonly Measured[], beside: readonly Beside[]): Verdict[] {
  const batches = measured.filter(({ side }) => side === 'batch');
  const temporalMs = median(batches.map((batch) => temporalMsOf(batch, measured)));
  const verdicts = [
    {
      holds: temporalMs < temporalMsMax,
      words: `a line costs ${temporalMs.toFixed(2)} ms of Temporal's CPU above what it takes idle; less than ${temporalMsMax} is promised`,
    },
  ];
  if (beside.length === 0) return verdicts;
  const ratio = median(besideRatios(beside));
  const said = `ten batches move the p99 of interactive calls to ${ratio.toFixed(2)} of what it is alone`;
  return [...verdicts, { holds: ratio < besideRatioMax, words: `${said}; less than ${besideRatioMax} is promised` }];
}

/** What Temporal took for a line. Calls of a loop don't come to it, so what it takes meanwhile is what it takes idle. */
function temporalMsOf({ round, cpu, calls, seconds }: Measured, measured: readonly Measured[]): number {
  const loop = measured.find((one) => one.side === 'loop' && one.round === round);
  const idleMs = loop ? (loop.cpu.rest / loop.seconds) * seconds : 0;
  return (cpu.rest - idleMs) / calls;
}

/** Of each round, the batch's figure by the loop's. */
function ratiosOf(measured: readonly Measured[], value: (one: Measured) => number): number[] {
  return measured
    .filter(({ side }) => side === 'batch')
    .flatMap((batch) => {
      const loop = measured.find(({ side, round }) => side === 'loop' && round === batch.round);
      return loop ? [value(batch) / value(loop)] : [];
    });
}

export const p99 = (timesMs: readonly number[]): number => percentile(timesMs, 0.99);

/** Of the calls of all rounds together, for the eye only: one bad stretch of the machine alone would make it look good. */
const pooledRatio = (beside: readonly Beside[]): number =>
  p99(beside.flatMap(({ besideMs }) => besideMs)) / p99(beside.flatMap(({ aloneMs }) => aloneMs));
const besideRatios = (beside: readonly Beside[]): number[] =>
  beside.map(({ aloneMs, besideMs }) => p99(besideMs) / p99(aloneMs));

const shown = (ratios: readonly number[]): string =>
  `${median(ratios).toFixed(2)} (${ratios.map((ratio) => ratio.toFixed(2)).join(', ')})`;

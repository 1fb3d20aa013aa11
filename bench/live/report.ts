/** The tables of the phases, and what issue's promises they keep. */
import { sumOf } from '../processes.ts';
import { markdownTable, type Verdict } from '../report.ts';
import { median, percentile } from '../statistics.ts';
import { type FairnessFigures, few } from './fairness.ts';
import { spreadOf } from './figures.ts';
import type { LiveFigures, Stretch } from './lateness.ts';
import { createsASecond } from './setting.ts';

const intervalsMax = 1.5;
const timesMax = 2;

/** CPU time a task-minute, memory, and how late ends were. */
export function liveTable({ waiting, ending, late, admissionSeconds }: LiveFigures, pollMs: number): string {
  const row = (name: string, { cpuMs, taskMinutes, polls, ownMBMax, allMBMax, otherCores }: Stretch) => [
    name,
    ...[cpuMs.own, cpuMs.rest, cpuMs.postgres, sumOf(cpuMs)].map((ms) => (ms / taskMinutes).toFixed(2)),
    (sumOf(cpuMs) / Math.max(1, polls)).toFixed(2),
    ...[ownMBMax, allMBMax].map((mb) => mb.toFixed(0)),
    otherCores.toFixed(2),
  ];
  const titles = [
    ...['stretch', 'API and worker, CPU ms a task-minute', 'Temporal', 'PostgreSQL', 'all', 'all, a poll'],
    ...['API and worker, MB', 'all, MB', 'other programs, cores'],
  ];
  const times = late.map(({ lateMs }) => lateMs);
  const spread = spreadOf(late);
  const intervals = (ms: number) => (ms / pollMs).toFixed(2);
  return [
    markdownTable(titles, [row('all wait', waiting), row('they end', ending)]),
    markdownTable(
      ['lateness of ends, poll intervals', 'p50', 'p99', 'max', 'p99 of the best account', 'of the worst'],
      [
        [
          `${late.length} tasks, polled every ${pollMs / 1000} s`,
          ...[median(times), percentile(times, 0.99), Math.max(...times)].map(intervals),
          ...[spread.lowestMs, spread.highestMs].map(intervals),
        ],
      ],
    ),
    `All were at the provider ${admissionSeconds.toFixed(0)} s after the first create.\n`,
  ].join('\n');
}

export function liveVerdicts({ late, failed }: LiveFigures, pollMs: number): Verdict[] {
  const p99 = percentile(late.map(({ lateMs }) => lateMs), 0.99) / pollMs; // oxfmt-ignore
  return [
    { holds: failed === 0, words: `${failed} tasks did not succeed` },
    {
      holds: late.length > 0 && p99 <= intervalsMax,
      words: `ends are heard ${p99.toFixed(2)} poll intervals late at p99; at most ${intervalsMax} are promised`,
    },
  ];
}

/** How long the few took to reach the provider, round by round. */
export function fairnessTable({ busy, aloneMs, behindMs, between }: FairnessFigures): string {
  const rows = aloneMs.map((alone, index) => {
    const behind = behindMs[index] ?? Number.NaN;
    return [
      String(index + 1),
      alone.toFixed(0),
      behind.toFixed(0),
      (behind / alone).toFixed(2),
      String(between[index] ?? ''),
    ];
  });
  rows.push([
    'median',
    ...[aloneMs, behindMs].map((times) => median(times).toFixed(0)),
    ratioOf(aloneMs, behindMs).toFixed(2),
    median(between).toFixed(0),
  ]);
  return markdownTable(
    [
      `${few} tasks until all are at the provider, round`,
      'alone, ms',
      `behind ${busy} of another account, ms`,
      'times',
      'creates of the other in between',
    ],
    rows,
  );
}

export function fairnessVerdicts(figures: FairnessFigures): Verdict[] {
  const { busy, busySent, aloneMs, behindMs, mostInASecond } = figures;
  const ratio = ratioOf(aloneMs, behindMs);
  return [
    {
      holds: ratio <= timesMax,
      words: `behind another account ${few} tasks take ${ratio.toFixed(2)} times what they take alone; at most ${timesMax} are promised`,
    },
    { holds: busySent < busy, words: `${busy - busySent} of the busy account's ${busy} tasks still waited at the end` },
    {
      holds: mostInASecond <= createsASecond,
      words: `the provider got at most ${mostInASecond} creates in a second; ${createsASecond} are allowed`,
    },
  ];
}

const ratioOf = (aloneMs: readonly number[], behindMs: readonly number[]): number => median(behindMs) / median(aloneMs);

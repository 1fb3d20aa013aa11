/** The tables of the task benchmark and what is promised of them: medians over the rounds, ratios taken within a round. */
import { markdownTable, type Verdict } from '../report.ts';
import { median, sum } from '../statistics.ts';
import type { CpuByPart } from './arrangements.ts';
import type { DatabaseWork } from './database-work.ts';
import type { HistoryFacts } from './history.ts';

export interface MeasuredLoad {
  tasks: number;
  seconds: number;
  p50Ms: number;
  /** Milliseconds a task. */
  cpuMs: CpuByPart;
}

export interface Measured {
  side: 'bare' | 'task';
  round: number;
  /** Many callers at once. */
  many: MeasuredLoad;
  /** One caller alone. */
  one: MeasuredLoad;
}

const throughputRatioMin = 0.7;
const aloneRatioMax = 2;
const activitiesMax = 3;
const eventsMax = 20;

/** What one task has a database write. */
export interface Written extends DatabaseWork {
  side: Measured['side'];
  part: string;
}

export function tablesOf(measured: readonly Measured[], history: HistoryFacts, written: readonly Written[]): string {
  const { events, activities, localActivities, actions, bytes, transitions } = history;
  const parts = [...new Set(measured.flatMap(({ many }) => Object.keys(many.cpuMs)))];
  const rows = (['bare', 'task'] as const).map((side) => {
    const of = measured.filter((each) => each.side === side);
    const middle = (value: (each: Measured) => number) => median(of.map(value));
    return [
      side === 'bare' ? 'bare workflow' : 'task',
      middle(({ many }) => many.tasks / many.seconds).toFixed(1),
      middle(({ many }) => many.p50Ms).toFixed(0),
      middle(({ one }) => one.p50Ms).toFixed(1),
      ...parts.map((part) => middle(({ many }) => many.cpuMs[part] ?? 0).toFixed(2)),
      middle(({ many }) => sum(Object.values(many.cpuMs))).toFixed(2),
    ];
  });
  const titles = [
    '',
    'a second',
    'p50 ms, all at once',
    'p50 ms, alone',
    ...parts.map((part) => `CPU ms: ${part}`),
    'CPU ms',
  ];
  return (
    `${markdownTable(titles, rows)}\n` +
    `Tasks a second: ${ratioOf(measured, rate).toFixed(2)} of the bare workflow's (rounds: ${ratios(measured, rate)}). ` +
    `Alone: ${ratioOf(measured, alone).toFixed(2)} times the bare one's p50 (rounds: ${ratios(measured, alone)}).\n` +
    `A plain task leaves ${events} events of ${(bytes / 1000).toFixed(1)} kB, from ${activities} activities and ${localActivities} local ones: ${actions} actions, ${transitions} state transitions.\n` +
    written
      .map(
        ({ side, part, commits, walBytes }) =>
          `${side === 'bare' ? 'A bare workflow' : 'A task'} has ${part} commit ${commits.toFixed(1)} times and log ${(walBytes / 1000).toFixed(1)} kB.\n`,
      )
      .join('')
  );
}

/** What is promised of a plain task, and whether it holds here. */
export function verdictsOf(
  measured: readonly Measured[],
  { events, activities, localActivities }: HistoryFacts,
): Verdict[] {
  const [throughput, wait] = [ratioOf(measured, rate), ratioOf(measured, alone)];
  const steps = activities + localActivities;
  return [
    {
      holds: throughput >= throughputRatioMin,
      words: `${throughput.toFixed(2)} of the bare workflow's tasks a second; at least ${throughputRatioMin} is promised`,
    },
    {
      holds: wait <= aloneRatioMax,
      words: `one at a time ${wait.toFixed(2)} times the bare workflow's p50; at most ${aloneRatioMax} is promised`,
    },
    {
      holds: steps <= activitiesMax && events <= eventsMax,
      words: `${steps} activities and ${events} events; at most ${activitiesMax} and ${eventsMax} are promised`,
    },
  ];
}

const rate = ({ many }: Measured): number => many.tasks / many.seconds;
const alone = ({ one }: Measured): number => one.p50Ms;

/** Of each round, the task's figure over the bare workflow's. */
function inRounds(measured: readonly Measured[], figure: (of: Measured) => number): number[] {
  return measured
    .filter(({ side }) => side === 'task')
    .flatMap((task) => {
      const bare = measured.find(({ side, round }) => side === 'bare' && round === task.round);
      return bare ? [figure(task) / figure(bare)] : [];
    });
}

const ratioOf = (measured: readonly Measured[], figure: (of: Measured) => number): number =>
  median(inRounds(measured, figure));
const ratios = (measured: readonly Measured[], figure: (of: Measured) => number): string =>
  inRounds(measured, figure)
    .map((value) => value.toFixed(2))
    .join(', ');

/** The table of the rounds, medians each, and what is promised of them. */
import { markdownTable, type Verdict } from '../report.ts';
import { median, sum } from '../statistics.ts';
import type { Round } from './round.ts';

const bytesPerCallerMax = 20 * 1024;
const delayMsMax = 100;
/** Fewer are not judged by memory: what a process takes and gives back by itself would count as theirs. */
const judgedCallersMin = 5_000;

/** What the API's resident memory grew by for each caller. */
export const bytesPerCaller = ({ callers, empty, full }: Round): number =>
  (full.memory.resident - empty.memory.resident) / callers;

const liveBytesPerCaller = ({ callers, empty, full }: Round): number =>
  (full.memory.live - empty.memory.live) / callers;

interface Column {
  title: string;
  value: (round: Round) => number;
  digits: number;
}

const columns: readonly Column[] = [
  { title: 'resident KB each', value: (round) => bytesPerCaller(round) / 1024, digits: 1 },
  { title: 'of it live', value: (round) => liveBytesPerCaller(round) / 1024, digits: 1 },
  { title: 'API, % of a core', value: ({ full }) => full.apiCores * 100, digits: 1 },
  { title: 'without callers', value: ({ empty }) => empty.apiCores * 100, digits: 1 },
  { title: 'PostgreSQL', value: ({ full }) => full.postgresCores * 100, digits: 1 },
  { title: 'worker', value: ({ full }) => full.workerCores * 100, digits: 1 },
  { title: 'Temporal', value: ({ full }) => full.temporalCores * 100, digits: 1 },
  { title: 'delay p50 ms', value: ({ spread }) => spread.p50, digits: 0 },
  { title: 'p99', value: ({ spread }) => spread.p99, digits: 0 },
  { title: 'max', value: ({ spread }) => spread.max, digits: 0 },
  { title: 'burst: ends a second', value: ({ burst }) => burst.rate, digits: 0 },
  { title: 'delay p50 ms', value: ({ burst }) => burst.p50, digits: 0 },
  { title: 'p99', value: ({ burst }) => burst.p99, digits: 0 },
];

/** One row for each number of callers. */
export function tableOf(rounds: readonly Round[]): string {
  const rows = [...groups(rounds)].map(([callers, group]) => [
    callers.toLocaleString('en'),
    ...columns.map(({ value, digits }) => median(group.map(value)).toFixed(digits)),
  ]);
  return markdownTable(['callers', ...columns.map(({ title }) => title)], rows);
}

/** Judges medians over the rounds. */
export function verdictsOf(rounds: readonly Round[]): Verdict[] {
  const verdicts = [...groups(rounds)].flatMap(([callers, group]) => {
    const [bytes, p99] = [median(group.map(bytesPerCaller)), median(group.map(({ spread }) => spread.p99))];
    const [{ endingPerSecond } = { endingPerSecond: 0 }] = group;
    const memory = {
      holds: bytes < bytesPerCallerMax,
      words: `${callers} waiting callers cost ${(bytes / 1024).toFixed(1)} KB each (under ${bytesPerCallerMax / 1024})`,
    };
    const delay = {
      holds: p99 <= delayMsMax,
      words: `with ${callers} waiting and ${endingPerSecond} ends a second, the answer begins within ${p99.toFixed(0)} ms of the end (p99; at most ${delayMsMax})`,
    };
    return callers >= judgedCallersMin ? [memory, delay] : [delay];
  });
  const wrong = rounds.flatMap((round) => round.wrong);
  const [example] = wrong;
  const all = sum(rounds.map(({ callers }) => callers));
  const late = sum(rounds.map(({ waitedOut }) => waitedOut));
  const words = [
    `${wrong.length} of ${all} callers got neither their finished task nor a 202 after 300 s${example === undefined ? '' : `, such as: ${example}`}`,
    ...(late > 0 ? [`${late} got the 202, since the machine did not end their tasks in time`] : []),
  ];
  return [...verdicts, { holds: wrong.length === 0, words: words.join('; ') }];
}

const groups = (rounds: readonly Round[]): Map<number, Round[]> => {
  const found = new Map<number, Round[]>();
  for (const round of rounds) found.set(round.callers, [...(found.get(round.callers) ?? []), round]);
  return found;
};

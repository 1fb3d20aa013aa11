/** What the simulation of the hot account says, as tables. */
import { markdownTable } from '../report.ts';
import { groupCostsOf } from './cluster.ts';
import type { Figures } from './figures.ts';
import { type FleetOutcome, simulateFleet, type Way } from './hot-account.ts';

/** Long enough for some hundred calls, and short enough for a test to make the tables again. */
const secondsFor = (perSecond: number): number => Math.min(4, Math.max(1, 1_000 / perSecond));
const seed = 1;
const rates = [100, 500, 2_000, 8_000];
const arrangements: readonly { title: string; way: Way; processes: number }[] = [
  { title: '1 API, or each account at one API', way: 'own', processes: 1 },
  { title: '4 APIs, any of them', way: 'any', processes: 4 },
  { title: '16 APIs, any of them', way: 'any', processes: 16 },
  { title: '64 APIs, any of them', way: 'any', processes: 64 },
  { title: '16 APIs, a slice of the balance each', way: 'slices', processes: 16 },
];
/** Below this share of what was asked a queue grows until calls are refused. */
const keptUpMin = 0.97;
const neighbours = { processes: 16, hotPerSecond: 1_000, othersPerSecond: 1_000, others: 1_000 };

/** How long a hold of the hot account takes, and where it no longer keeps up. */
export function hotAccountTable(figures: Figures): string {
  const costs = groupCostsOf(figures);
  const rows = arrangements.map(({ title, way, processes }) => [
    title,
    ...rates.map((hotPerSecond) => {
      const { hot } = simulateFleet({ processes, way, hotPerSecond, seconds: secondsFor(hotPerSecond), seed }, costs);
      const text = `${milliseconds(hot.p50Ms)} / ${milliseconds(hot.p99Ms)}`;
      const keptUp = hot.admittedPerSecond / hotPerSecond;
      // Few calls come unevenly; a lag of that kind is no queue.
      return keptUp < keptUpMin && hotPerSecond > 500 ? `${text}, ${Math.round(hot.admittedPerSecond)}/s` : text;
    }),
  ]);
  return markdownTable(['p50 / p99 ms of a hold', ...rates.map((rate) => `${rate.toLocaleString('en')}/s`)], rows);
}

/** What a hot account does to a thousand others on the same APIs. */
export function neighboursTable(figures: Figures): string {
  const costs = groupCostsOf(figures);
  const row = (title: string, fleet: Partial<typeof neighbours> & { way: Way }): string[] => {
    const outcome: FleetOutcome = simulateFleet({ ...neighbours, ...fleet, seconds: 1, seed }, costs);
    const { others, underLocks, groupsPerSecond } = outcome;
    return [
      title,
      `${milliseconds(others.p50Ms)} / ${milliseconds(others.p99Ms)}`,
      `${Math.round(underLocks * 100)} %`,
      Math.round(groupsPerSecond).toLocaleString('en'),
    ];
  };
  return markdownTable(
    ['16 APIs', 'p50 / p99 ms of the others', 'groups under locks', 'commits a second'],
    [
      row('1,000 calls a second of 1,000 accounts, any API', { way: 'any', hotPerSecond: 0 }),
      row('the same, each account at one API', { way: 'own', hotPerSecond: 0 }),
      row('and a hot account with 1,000 more, any API', { way: 'any' }),
      row('and a hot account with 1,000 more, each account at one API', { way: 'own' }),
    ],
  );
}

const milliseconds = (ms: number): string => (ms < 10 ? ms.toFixed(1) : ms.toFixed(0));

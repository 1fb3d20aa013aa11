/** The tables of transfers, and what must hold. */
import { markdownTable, type Verdict } from '../report.ts';
import { median } from '../statistics.ts';
import { type Measurement, type Scenario, scenarios } from './measure.ts';

/** Of each transfer that is under way: what the tests allow for one of 500 MiB. */
const grownMibMax = 50;
const floorShareMin = 0.5;
const floor = 'floor';

/** A table for each scenario and number at once; ratios are of the same round's floor. */
export function tables(all: readonly Measurement[], { bytes, rounds }: { bytes: number; rounds: number }): string {
  return groupsOf(all)
    .map(({ scenario, atOnce, targets }) => {
      const rows = targets.map((target) => rowOf(all, { scenario, atOnce, target }));
      const title = `${scenario}, ${bytes / 1e6} MB each, ${atOnce} at once (medians of ${rounds} rounds)`;
      return `${title}\n\n${markdownTable(['server', 'MB/s', 'of the floor', 'CPU s/GB', 'times the floor', 'memory + MiB', 'most'], rows)}\n`;
    })
    .join('\n');
}

export function verdictsOn(all: readonly Measurement[]): Verdict[] {
  const failures = all.flatMap((one) => one.failures);
  const whole = { holds: failures.length === 0, words: `${failures.length} transfers failed or came incomplete` };
  const others = groupsOf(all).flatMap(({ scenario, atOnce, targets }) =>
    targets
      .filter((target) => target !== floor)
      .flatMap((target): Verdict[] => {
        const where = `${target}, ${scenario}, ${atOnce} at once`;
        const measured = find(all, { scenario, atOnce, target });
        const grown = median(measured.map(({ grownMiB }) => grownMiB));
        const share = median(ratios(all, { scenario, atOnce, target }, ({ mbPerSecond }) => mbPerSecond));
        const memory = `${where}: memory grows by ${grown.toFixed(0)} MiB (bound: ${grownMibMax * atOnce})`;
        const speed = `${where}: ${share.toFixed(2)} of the floor's MB/s (at least ${floorShareMin})`;
        return [
          { holds: grown <= grownMibMax * atOnce, words: memory },
          // What another server takes beside is not this process's doing.
          ...(target === 'Tollgate' ? [{ holds: share >= floorShareMin, words: speed }] : []),
        ];
      }),
  );
  return [whole, ...others];
}

interface Case {
  scenario: Scenario;
  atOnce: number;
  target: string;
}

const find = (all: readonly Measurement[], { scenario, atOnce, target }: Case): Measurement[] =>
  all.filter((one) => one.scenario === scenario && one.atOnce === atOnce && one.target === target);

/** Of each round, to the floor's of the same round. */
function ratios(all: readonly Measurement[], which: Case, value: (one: Measurement) => number): number[] {
  const floors = find(all, { ...which, target: floor });
  return find(all, which).flatMap((one) => {
    const beside = floors.find(({ round }) => round === one.round);
    return beside === undefined || value(beside) === 0 ? [] : [value(one) / value(beside)];
  });
}

function rowOf(all: readonly Measurement[], which: Case): string[] {
  const measured = find(all, which);
  const speed = ({ mbPerSecond }: Measurement) => mbPerSecond;
  const cpu = ({ cpuSecondsPerGB }: Measurement) => cpuSecondsPerGB;
  const grown = measured.map(({ grownMiB }) => grownMiB);
  return [
    which.target,
    median(measured.map(speed)).toFixed(0),
    median(ratios(all, which, speed)).toFixed(2),
    median(measured.map(cpu)).toFixed(2),
    median(ratios(all, which, cpu)).toFixed(2),
    median(grown).toFixed(0),
    Math.max(0, ...grown).toFixed(0),
  ];
}

function groupsOf(all: readonly Measurement[]): { scenario: Scenario; atOnce: number; targets: string[] }[] {
  const counts = [...new Set(all.map(({ atOnce }) => atOnce))].sort((a, b) => a - b);
  const targets = [...new Set(all.map(({ target }) => target))].sort(
    (a, b) => Number(b === floor) - Number(a === floor),
  );
  return scenarios.flatMap((scenario) =>
    counts
      .filter((atOnce) => all.some((one) => one.scenario === scenario && one.atOnce === atOnce))
      .map((atOnce) => ({ scenario, atOnce, targets })),
  );
}

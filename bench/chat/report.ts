/** The tables: medians over the rounds; ratios and differences are taken within a round first. */
import { median } from '../statistics.ts';
import { parts } from '../processes.ts';
import type { Measurement } from './measure.ts';
import type { Scenario } from './scenarios.ts';
import type { Target } from './targets.ts';

interface Column {
  title: string;
  value: (of: Measurement, floor: Measurement) => number;
  text: (value: number) => string;
}

const fixed = (digits: number) => (value: number) => value.toFixed(digits);
/** A load too small for the clock's ticks has none. */
const ratio = (value: number) => (Number.isFinite(value) ? value.toFixed(2) : '–');
const signed = (value: number) => (value < 0 ? '' : '+') + value.toFixed(2);

const columns: readonly Column[] = [
  { title: 'CPU ms/call', value: (of) => of.cpuMsPerCall, text: fixed(3) },
  { title: '÷ floor', value: (of, floor) => of.cpuMsPerCall / floor.cpuMsPerCall, text: ratio },
  { title: 'calls/s', value: (of) => of.calls / of.seconds, text: fixed(0) },
  { title: 'p50 ms', value: (of) => of.latencyMs.p50, text: fixed(1) },
  { title: 'p99 ms', value: (of) => of.latencyMs.p99, text: fixed(1) },
];
const streamColumns: readonly Column[] = [
  { title: 'TTFT p50 ms', value: (of) => of.firstChunkMs.p50, text: fixed(1) },
  { title: 'added', value: (of, floor) => of.firstChunkMs.p50 - floor.firstChunkMs.p50, text: signed },
  { title: 'TTFT p99 ms', value: (of) => of.firstChunkMs.p99, text: fixed(1) },
  { title: 'chunk age p50 ms', value: (of) => of.chunkAgeMs.p50, text: fixed(2) },
  { title: 'p99 ms', value: (of) => of.chunkAgeMs.p99, text: fixed(1) },
];
const lastColumns: readonly Column[] = [{ title: 'RSS MB', value: (of) => of.residentMB, text: fixed(0) }];

/** One scenario as a Markdown table, with the CPU time of a target in several parts below it. */
export function table(scenario: Scenario, targets: readonly Target[], all: readonly Measurement[]): string {
  const shown = [...columns, ...(scenario.stream ? streamColumns : []), ...lastColumns];
  const here = all.filter((measurement) => measurement.scenario === scenario.name && measurement.round > 0);
  const floorOf = (target: Target, round: number) =>
    here.find((measurement) => measurement.target === target.floor && measurement.round === round);
  const others = median(here.map(({ otherCores }) => otherCores));
  const lines = [
    `### ${scenario.name}: ${scenario.about} (other programs used ${others.toFixed(2)} cores)`,
    '',
    `| target | ${shown.map(({ title }) => title).join(' | ')} | errors |`,
    `| --- |${' ---: |'.repeat(shown.length + 1)}`,
  ];
  const notes: string[] = [];
  for (const target of targets) {
    const ofTarget = here.filter((measurement) => measurement.target === target.name);
    if (ofTarget.length === 0) {
      lines.push(`| ${target.title} |${' – |'.repeat(shown.length + 1)}`);
      continue;
    }
    const cells = shown.map(({ value, text }) => {
      const values = ofTarget.flatMap((measurement) => {
        const floor = floorOf(target, measurement.round);
        return floor ? [value(measurement, floor)] : [];
      });
      return text(median(values));
    });
    const errors = sum(ofTarget.map((measurement) => measurement.errors));
    const calls = errors + sum(ofTarget.map((measurement) => measurement.calls));
    lines.push(`| ${target.title} | ${cells.join(' | ')} | ${errors} of ${calls} |`);
    if (target.twin !== undefined) {
      const ratios = ofTarget.flatMap((measurement) => {
        const twin = here.find(({ target: name, round }) => name === target.twin && round === measurement.round);
        return twin ? [measurement.cpuMsPerCall / twin.cpuMsPerCall] : [];
      });
      notes.push(`${target.name} ÷ ${target.twin}, CPU of a call: ${ratio(median(ratios))}.\n`);
    }
    const base = scenario.comparedWith;
    if (base !== undefined) notes.push(...beside(base, target, ofTarget, all));
    if (target.counted.length < parts.length) notes.push(byPart(target, ofTarget));
  }
  return [...lines, '', ...notes].join('\n');
}

/** What a call takes of what one of another scenario takes, where that was measured in the same rounds. */
function beside(
  base: string,
  { name }: Target,
  measured: readonly Measurement[],
  all: readonly Measurement[],
): string[] {
  const ratios = measured.flatMap(({ cpuMsPerCall, round }) => {
    const other = all.find((one) => one.scenario === base && one.target === name && one.round === round);
    return other ? [cpuMsPerCall / other.cpuMsPerCall] : [];
  });
  return ratios.length === 0 ? [] : [`${name}, CPU of a call ÷ ${base}: ${ratio(median(ratios))}.\n`];
}

/** One line for a run under way. */
export function progressLine(measurement: Measurement, rounds: number): string {
  const { round, scenario, target, calls, seconds, cpuMsPerCall, latencyMs, errors, firstError } = measurement;
  return (
    `${round === 0 ? 'warm-up  ' : `round ${round}/${rounds}`}  ${scenario.padEnd(14)}  ${target.padEnd(8)}  ${(calls / seconds).toFixed(0).padStart(5)} calls/s  ` +
    `CPU ${cpuMsPerCall.toFixed(3)} ms/call  p50 ${latencyMs.p50.toFixed(1)} ms  ${errors} errors` +
    (firstError === undefined ? '' : ` (${firstError})`)
  );
}

function byPart({ title }: Target, measured: readonly Measurement[]): string {
  const perCall = (part: (typeof parts)[number]) =>
    median(measured.map(({ cpuMs, calls }) => cpuMs[part] / Math.max(1, calls)));
  const [own, postgres, rest] = parts.map(perCall).map((ms) => ms.toFixed(3));
  const whole = median(
    measured.map(({ cpuMs, calls }) => (cpuMs.own + cpuMs.postgres + cpuMs.rest) / Math.max(1, calls)),
  );
  return (
    `${title}, CPU ms/call by part: its process ${own}, PostgreSQL ${postgres}; besides, not counted since it serves no chat, ` +
    `Temporal ${rest}; together ${whole.toFixed(3)}.\n`
  );
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

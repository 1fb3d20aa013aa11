/** What the ledger benchmark prints: its tables, and what was asked of them. */
import { markdownTable, type Verdict } from '../report.ts';
import { median } from '../statistics.ts';
import { type Measurement, scenarios } from './admissions.ts';
import type { Audited } from './audit.ts';
import { callsARound, oneCallRounds } from './one-call.ts';

const pgbenchShareMin = 0.5;
const growthMax = 1.3;
const oneCallGrowthMax = 1.5;
const auditSMax = 60;
const auditMbMax = 300;

const entriesOf = (size: number): string => size.toLocaleString('en');
const whole = (value: number): string => Math.round(value).toLocaleString('en');

/** Admissions of every scenario on every ledger; the ratios are taken within rounds first. */
export function admissionsTable(all: readonly Measurement[], sizes: readonly number[]): string {
  const rows = scenarios.flatMap(({ name }) =>
    sizes.map((size) => {
      const here = all.filter((each) => each.scenario === name && each.size === size);
      const middle = (value: (of: Measurement) => number) => median(here.map(value));
      return [
        `${name}, ${entriesOf(size)} entries`,
        whole(middle(({ product }) => product)),
        whole(middle(({ pgbench }) => pgbench)),
        shareOf(here).toFixed(2),
        growth(all, name, { from: sizes[0] ?? 0, to: size }).toFixed(2),
        middle(({ moves, groups }) => moves / groups).toFixed(0),
        middle(({ admittedMs }) => admittedMs.p50).toFixed(1),
        middle(({ admittedMs }) => admittedMs.p99).toFixed(1),
        middle(({ cpuMs, admissions }) => cpuMs / admissions).toFixed(3),
        middle(({ postgresCpuMs, admissions }) => postgresCpuMs / admissions).toFixed(3),
        middle(({ replayCpuMs, admissions }) => replayCpuMs / admissions).toFixed(3),
      ];
    }),
  );
  const titles = [
    'ledger',
    'admissions/s',
    'pgbench/s',
    '÷ pgbench',
    'times slower',
    'moves a group',
    'p50 ms',
    'p99 ms',
  ];
  const cpuTitles = ['CPU ms/admission: product', 'its PostgreSQL', "pgbench's PostgreSQL"];
  return markdownTable([...titles, ...cpuTitles], rows);
}

/** A call alone on every ledger. */
export function oneCallTable(p50s: readonly (readonly number[])[], sizes: readonly number[]): string {
  const rows = sizes.map((size, at) => [
    `${entriesOf(size)} entries`,
    median(p50s[at] ?? []).toFixed(2),
    oneCallGrowth(p50s, at).toFixed(2),
  ]);
  return markdownTable(['a hold and a settlement alone', 'p50 ms', 'times slower'], rows);
}

export interface Findings {
  sizes: readonly number[];
  admissions: readonly Measurement[];
  oneCall: readonly (readonly number[])[];
  audited: Audited | undefined;
  /** Of each ledger where pgbench left something else than the product. */
  differences: readonly string[];
}

/** What was asked, and whether it holds. */
export function verdictsOn({ sizes, admissions, oneCall, audited, differences }: Findings): Verdict[] {
  const verdicts: Verdict[] = [];
  const add = (holds: boolean, words: string) => void verdicts.push({ holds, words });
  add(
    differences.length === 0,
    `pgbench wrote what the product did${differences.map((each) => `; not so: ${each}`).join('')}`,
  );
  const [first = 0, last = 0] = [sizes[0], sizes.at(-1)];
  for (const { name } of scenarios) {
    for (const size of sizes) {
      const share = shareOf(admissions.filter((each) => each.scenario === name && each.size === size));
      add(
        share >= pgbenchShareMin,
        `${name}, ${entriesOf(size)} entries: ${share.toFixed(2)} of the admissions per second of pgbench; at least ${pgbenchShareMin} is asked`,
      );
    }
    const times = growth(admissions, name, { from: first, to: last });
    add(
      times <= growthMax,
      `${name}: admissions per second fall to 1/${times.toFixed(2)} from ${entriesOf(first)} to ${entriesOf(last)} entries; at most 1/${growthMax} is asked`,
    );
  }
  for (const [at, size] of sizes.entries()) {
    const times = oneCallGrowth(oneCall, at);
    add(
      times <= oneCallGrowthMax,
      `a hold and a settlement alone take ${times.toFixed(2)} times as long on ${entriesOf(size)} entries as on ${entriesOf(first)} ` +
        `(median of ${oneCallRounds} rounds of ${callsARound}); at most ${oneCallGrowthMax} is asked`,
    );
  }
  if (audited) {
    const { entries, seconds, peakMB } = audited;
    add(
      seconds < auditSMax && peakMB < auditMbMax,
      `the audit of ${entriesOf(entries)} entries took ${seconds.toFixed(1)} s (${whole(entries / seconds)} entries/s) and ` +
        `${Math.round(peakMB)} MB at its peak; at most ${auditSMax} s and ${auditMbMax} MB are asked for 1,000,000`,
    );
  }
  return verdicts;
}

const shareOf = (measured: readonly Measurement[]): number =>
  median(measured.map(({ product, pgbench }) => product / pgbench));

/** How many times fewer admissions a second there are on the one ledger than on the other. */
function growth(all: readonly Measurement[], scenario: string, { from, to }: { from: number; to: number }): number {
  const here = all.filter((each) => each.scenario === scenario);
  return median(
    here.flatMap((few) => {
      const many = here.find(({ size, round }) => size === to && round === few.round);
      return few.size === from && many ? [few.product / many.product] : [];
    }),
  );
}

function oneCallGrowth(p50s: readonly (readonly number[])[], at: number): number {
  return median((p50s[at] ?? []).map((p50Ms, round) => p50Ms / (p50s[0]?.[round] ?? p50Ms)));
}

/** A drill in text: a line a round, and at the end the promises and which steps the kills hit. */
import type { CallCounts } from './calls.ts';
import type { Verdict } from './checks.ts';
import type { Load } from './load.ts';
import type { LostCommit } from './lost-commit.ts';
import { callSteps, type Step, taskSteps } from './steps.ts';
import { type Strike, victims } from './strikes.ts';

const brokenShownMax = 50;

export function roundLine(
  { name, aim, hit, lost }: Strike,
  { round, rounds, seconds, orders }: { round: number; rounds: number; seconds: number; orders: number },
): string {
  const steps = [...hit].map(([step, count]) => `${count} ${step}`);
  return [
    `round ${String(round).padStart(String(rounds).length)}/${rounds}`,
    `${name} at ${aim === 'any moment' ? aim : `"${aim}"`}`,
    ...(lost === undefined ? [] : [lost]),
    steps.length > 0 ? `hit ${steps.join(', ')}` : 'hit nothing',
    `${orders} ordered`,
    `${seconds.toFixed(1)} s`,
  ].join(' · ');
}

/** How many calls there were, and how many of them their gateway's death broke off. */
export function callsLine(calls: CallCounts): string {
  const parts = Object.entries(calls).map(([kind, { made, brokenOff }]) => `${kind} ${made} (${brokenOff})`);
  return `calls (of them broken off): ${parts.join(' · ')}`;
}

/** How often an admission was in doubt, and what its caller made of the answer. */
export function doubtLine(strikes: readonly Strike[], verdict: Verdict, { askedToRepeat }: Load): string {
  const lost = strikes.flatMap((strike) => strike.lost ?? []);
  const count = (one: LostCommit) => lost.filter((each) => each === one).length;
  return [
    `admissions cut off: ${count('committed')} committed with their answer lost, ${count('not committed')} not committed`,
    `answered by an id in doubt ${verdict.inDoubt}, of which ${verdict.neverMade} were never made`,
    `repeated without a key when asked to ${askedToRepeat}`,
  ].join(' · ');
}

/** What the promises came to. */
export function summary(verdict: Verdict): string[] {
  const { accepted, final } = verdict;
  return [
    [
      `tasks accepted ${accepted} ${accepted === final ? '=' : '≠'} final ${final}`,
      `double creates ${verdict.doubleCreates}`,
      `double charges ${verdict.doubleCharges}`,
      `lost ${verdict.lost}`,
      `unexplained ledger differences ${verdict.ledgerDifferences}`,
    ].join(' · '),
    [
      `wrongly ended ${verdict.wronglyEnded}`,
      `webhooks undelivered ${verdict.undeliveredWebhooks}`,
      `orphaned blobs ${verdict.orphanedBlobs} (${verdict.leftBlobs} left by kills)`,
      `read by another account ${verdict.readByStranger}`,
      `holds of calls swept ${verdict.sweptHolds}, open ${verdict.openHolds}`,
    ].join(' · '),
  ];
}

/** The promises that were broken, the first of them in full. */
export function brokenLines({ broken }: Verdict): string[] {
  const shown = broken.slice(0, brokenShownMax).map((sentence) => `BROKEN: ${sentence}`);
  return broken.length > shown.length ? [...shown, `BROKEN: … and ${broken.length - shown.length} more`] : shown;
}

/** How many blows hit which step: each counts once at every step that some task or call was at. */
export function table(strikes: readonly Strike[]): string[] {
  const columns = victims.filter((victim) => strikes.some((strike) => strike.victim === victim));
  const width = Math.max(...taskSteps.map((step) => step.length));
  const line = (head: string, cells: readonly (string | number)[]) =>
    `${head.padEnd(width)}${cells.map((cell) => String(cell).padStart(10)).join('')}`;
  const of = (step: Step | undefined) =>
    columns.map((victim) => {
      const own = strikes.filter((strike) => strike.victim === victim);
      return own.filter(({ hit }) => (step === undefined ? true : hit.has(step))).length;
    });
  return [
    line('kills by step', columns),
    ...[...taskSteps, ...callSteps].map((step) => line(step, of(step))),
    line('all', of(undefined)),
  ];
}

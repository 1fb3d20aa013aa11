/**
 * A provider with a create rate, and an account that keeps it busy: how long another account's few tasks take to reach
 * the provider, against the same tasks without other accounts.
 */
import { say } from '../report.ts';
import { countOf, mostInASecond, othersBetween, reachMs } from './figures.ts';
import type { Parts } from './parts.ts';
import type { RunClock } from './run-clock.ts';
import { createsASecond, models } from './setting.ts';

const openingBalance = 1_000_000;
const connections = 64;
export const few = 10;
const rounds = 3;
/** Between rounds: the slots of the round before are over, and the busy account has all turns again. */
const pauseMs = 3_000;
const fewMsMax = 300_000;

export interface FairnessFigures {
  /** The busy account's tasks, and how many of them had been sent when the last round was over. */
  busy: number;
  busySent: number;
  /** How long the few took, round by round. */
  aloneMs: number[];
  behindMs: number[];
  /** The busy account's creates that came before the last of the few. */
  between: number[];
  /** The most creates that the provider got in any second. */
  mostInASecond: number;
  overloaded: number;
}

export async function measureFairness(
  { gateway, provider, callers }: Parts,
  { tasks }: { tasks: number },
  clock: RunClock,
): Promise<FairnessFigures> {
  const [busyKey, fewKey] = [
    (await gateway.customer(openingBalance)).secret,
    (await gateway.customer(openingBalance)).secret,
  ];
  const common = { url: gateway.url, model: models.paced };
  const report = () => provider.report();
  const reach = async (word: string): Promise<{ ms: number; between: number }> => {
    const { beganAt } = await callers.create({ ...common, keys: [fewKey], word, count: few, connections: few });
    await clock.until(`the few of round ${word}`, async () => countOf(await report(), word) >= few, {
      waitMs: fewMsMax,
      progress: async () => `${countOf(await report(), word)} of ${few} are at the provider`,
    });
    const jobs = await report();
    return { ms: reachMs(jobs, word, beganAt), between: othersBetween(jobs, word, beganAt) };
  };
  const all = async (word: string) => {
    const times: { ms: number; between: number }[] = [];
    for (let round = 1; round <= rounds; round++) {
      if (round > 1) await clock.sleep(pauseMs);
      times.push(await reach(`${word}-${round}`));
    }
    return times;
  };
  await reach('warm-up');
  await clock.sleep(pauseMs);
  const aloneMs = (await all('alone')).map(({ ms }) => ms);
  const busy = tasks - few;
  const seconds = busy / createsASecond;
  say(`Alone ${few} tasks take ${aloneMs.map((ms) => ms.toFixed(0)).join(', ')} ms. Now another account has ${busy}.`);
  const { overloaded } = await callers.create(
    { ...common, keys: [busyKey], word: 'busy', count: busy, connections },
    (accepted) => clock.report(`${accepted} of ${busy} tasks are accepted; sending them takes ${seconds.toFixed(0)} s`),
  );
  const behind = await all('behind');
  const jobs = await report();
  const busySent = countOf(jobs, 'busy');
  const [behindMs, between] = [behind.map(({ ms }) => ms), behind.map((round) => round.between)];
  return { busy, busySent, aloneMs, behindMs, between, mostInASecond: mostInASecond(jobs), overloaded };
}

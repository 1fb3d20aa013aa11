/** A drill from its first process to its verdict: a load, blows against it, the wait for the end, and the checks. */
import { mp4, png, wav } from '../support/media.ts';
import { generator, oneOf, shuffled } from '../support/random.ts';
import { judge, type Verdict } from './checks.ts';
import { allEnded } from './endings.ts';
import { Load } from './load.ts';
import { type Closing, closingAll } from './opened.ts';
import { configurationOf, openProviders } from './providers.ts';
import { openReceiver } from './receiver.ts';
import { brokenLines, callsLine, doubtLine, roundLine, summary, table } from './report.ts';
import { type Aim, aimsAt, type Strike, Strikes, type Victim } from './strikes.ts';
import { World } from './world.ts';

export interface DrillOptions {
  rounds: number;
  /** The same seed draws the same victims and moments; what goes on meanwhile is for the machine to say. */
  seed: number;
  victims: readonly Victim[];
  apis: number;
  workers: number;
  callers: number;
  /** How often a provider is late, answers twice, never or is never done, from 0 to 1. */
  misbehaviour: number;
  /** Whether about half of the processes start with a clock that is an hour behind. */
  clocksDiffer: boolean;
  /** Whether the end is waited for until all that dead gateways held is swept, too. */
  waitsForSweep: boolean;
  /** Aborted when it is to be given up; everything is ended then, too. */
  signal?: AbortSignal;
  say: (line: string) => void;
}

export interface DrillEnd {
  verdict: Verdict;
  strikes: Strike[];
}

const hourMs = 3_600_000;

/** Runs it. Says a line a round and the summary; whether every promise was kept is for `verdict.broken` to say. */
export const drill = (options: DrillOptions): Promise<DrillEnd> =>
  closingAll(options.signal, (opened) => run(options, opened));

/**
 * What no provider was ever sent ends with its deadline; a job that is done by then is collected however late its worker
 * comes, but what breaks off after it is not tried again. Two deaths of who collects cost a minute, until they are missed.
 */
const deadlineSecondsOf = ({ rounds }: DrillOptions): number => (rounds > 4 ? 75 : 45);

async function run(options: DrillOptions, opened: Closing[]): Promise<DrillEnd> {
  const { say, seed, apis, workers, callers, misbehaviour } = options;
  const media = { image: await png({ width: 64, height: 48 }), video: await mp4({ seconds: 1 }) };
  const { images, videos, talks } = await openProviders(media, seed);
  const providers = [images, videos, talks];
  opened.push(...providers.map((provider) => () => provider.close()));
  const receiver = await openReceiver(generator(seed + 2));
  opened.push(() => receiver.close());
  const clocks = generator(seed + 3);
  const world = await World.open({
    ...{ apis, workers, say, hasOwnDisk: options.victims.includes('disk') },
    clockBehindMs: () => (options.clocksDiffer && clocks() < 0.5 ? hourMs : 0),
    configurationOf: (process) => configurationOf({ images, videos, talks }, process, deadlineSecondsOf(options)),
  });
  opened.push(() => world.close());
  const [buyer, stranger] = [await world.newBuyer(), await world.newBuyer()];
  const load = new Load({
    ...{ urls: world.urls, key: buyer.key, random: generator(seed + 4), callers, misbehaviour },
    webhookUrl: receiver.url,
    uploads: { audio: wav({ seconds: 1, samplesPerSecond: 8_000 }), ...media },
  });
  opened.push(() => load.stop());
  const strikes = new Strikes({ world, load, providers, random: generator(seed) });
  const struck = await strikeAll(strikes, load, options);
  say('the load ends; waiting for the end of all tasks');
  await load.stop();
  await allEnded(world, {
    withHolds: options.waitsForSweep,
    onLeft: ({ tasks, webhooks, holds }) =>
      say(`still ${tasks} tasks under way, ${webhooks} webhooks owed, ${holds} holds open`),
  });
  say('checking');
  const verdict = await judge({
    ...{ world, load, providers, receiver, strikes: struck, buyer, stranger },
    isSwept: options.waitsForSweep,
  });
  const { counts } = videos;
  const { downloads, unanswered } = load.counts;
  for (const line of [
    ...['', ...table(struck), ''],
    `the provider was late ${counts.late} times, called back twice ${counts.twice}, never answered ${counts.never}, was never done ${counts.endless}; creates that came again under their key: ${talks.repeats}`,
    callsLine(load.calls),
    `results fetched ${downloads} · creations without an answer ${unanswered}`,
    doubtLine(struck, verdict, load),
    ...summary(verdict),
    ...brokenLines(verdict),
  ])
    say(line);
  return { verdict, strikes: struck };
}

/** Victims take turns; for each one all moments come in a drawn order, and then again. */
async function strikeAll(
  strikes: Strikes,
  load: Load,
  { rounds, victims, seed, say }: DrillOptions,
): Promise<Strike[]> {
  const random = generator(seed + 5);
  const struck: Strike[] = [];
  const aims = new Map<Victim, Aim[]>();
  for (let round = 1; round <= rounds; round++) {
    const startedAt = performance.now();
    const victim = victims[(round - 1) % victims.length] ?? oneOf(random, victims);
    const left = aims.get(victim) ?? [];
    if (left.length === 0) left.push(...shuffled<Aim>(random, aimsAt(victim)));
    aims.set(victim, left);
    const strike = await strikes.strike(victim, left.shift() ?? 'any moment');
    struck.push(strike);
    const seconds = (performance.now() - startedAt) / 1000;
    say(roundLine(strike, { round, rounds, seconds, orders: load.orders.size }));
  }
  return struck;
}

/** How long one call alone waits for its hold and the settlement of the call before, on ledgers of several sizes in turn. */
import type { RawFigures } from '../report.ts';
import { median } from '../statistics.ts';
import type { Arena } from './admissions.ts';
import { admitted, callPrice } from './fill.ts';

export const oneCallRounds = 9;
export const callsARound = 200;

/** Of each ledger, in their order: the p50 of each round in milliseconds. */
export async function measureOneCall(
  arenas: readonly Arena[],
  raw: RawFigures,
  signal: AbortSignal,
): Promise<number[][]> {
  const all = arenas.map((): number[] => []);
  for (let round = 0; round <= oneCallRounds; round++) {
    // Each goes first as often as any other.
    const places = arenas.map((_, at) => (at + round) % arenas.length);
    for (const place of places) {
      signal.throwIfAborted();
      const arena = arenas[place];
      if (!arena) continue;
      const p50Ms = await p50Of(arena);
      raw.keep({ oneCall: arena.size, round, p50Ms });
      if (round > 0) all[place]?.push(p50Ms);
    }
  }
  return all;
}

async function p50Of({ ledger, alone }: Arena): Promise<number> {
  const { calls } = ledger.moves;
  const times: number[] = [];
  let hold = await admitted(calls, alone, ledger.owner);
  for (let index = 0; index < callsARound; index++) {
    const startedAt = performance.now();
    // A settlement alone would wait for others to go with.
    const settled = calls.settle(hold, callPrice);
    [hold] = await Promise.all([admitted(calls, alone, ledger.owner), settled]);
    times.push(performance.now() - startedAt);
  }
  await calls.settle(hold, callPrice);
  return median(times);
}

/**
 * The create rate of a provider, kept over all processes by one row: each create takes the next slot and waits for it.
 * No lock is held while it waits.
 */
import * as z from 'zod';
import type { Database } from '../../postgres/database.ts';

/** A slot that is further away is left to others. */
const awayMsMax = 10_000;
/** A create may be this late for its slot. */
const lateMsMax = 80;

export type SlotAnswer =
  | {
      taken: true;
      /** By the database's clock. */
      at: Date;
      /** By `performance.now()` of this process: it may be used from here … */
      from: number;
      /** … until here. Later it would come too close to the slot after it. */
      until: number;
    }
  | { taken: false; awayMs: number };

/**
 * Takes the next slot of a provider, unless it is more than `withinMs` away. The slot's place on this process's own
 * clock is known but for the time that the answer took: it isn't used before the latest of these moments, and counts
 * as late by the earliest, so that neither clocks that differ nor a slow answer can bring two creates together.
 */
export async function takeSlot(
  database: Database,
  provider: string,
  maxPerSecond: number,
  withinMs = awayMsMax,
): Promise<SlotAnswer> {
  const client = await database.pool.connect();
  let askedAt, rows;
  let broken: Error | undefined;
  try {
    askedAt = performance.now();
    ({ rows } = await client.query({
      name: 'take-slot',
      text: takeSlotText,
      values: [provider, spacingSeconds(maxPerSecond), Math.min(withinMs, awayMsMax) / 1000, awayMsMax / 1000],
    }));
  } catch (error) {
    broken = new Error('a statement broke off', { cause: error });
    throw error;
  } finally {
    client.release(broken); // one that still waits for an answer is of no use to the next
  }
  const { at, away_ms: awayMs } = slotRow.parse(rows[0] ?? { at: null, away_ms: awayMsMax });
  if (at === null) return { taken: false, awayMs: Math.max(0, awayMs) };
  const until = askedAt + awayMs + lateMsMax;
  return { taken: true, at, from: performance.now() + awayMs, until };
}

/**
 * A fifth wider than the rate: then 1.2 s lie between a slot and the one that is as many later as a second may have, and
 * still more than one second between their creates, although the first may be late by 80 ms, and setting up its
 * connection may take some 100 ms longer than the other's. Above one a second the rate is a whole number: 2.5 would let three into a second.
 */
const spacingSeconds = (maxPerSecond: number): number =>
  1.2 / (maxPerSecond >= 1 ? Math.floor(maxPerSecond) : maxPerSecond);

// The clock is read once the row is locked. A slot further ahead than any that could have been given belongs to a rate
// that has been raised or a clock that was set back: it is moved to where the last promised one may be.
const takeSlotText = `with taken as (
    insert into provider_rates as r (provider, next_slot_at)
    values ($1, clock_timestamp() + make_interval(secs => $2))
    on conflict (provider) do update set next_slot_at = make_interval(secs => $2) +
      case when r.next_slot_at > clock_timestamp() + make_interval(secs => $4 + $2)
        then clock_timestamp() + make_interval(secs => $4) else greatest(r.next_slot_at, clock_timestamp()) end
    where r.next_slot_at <= clock_timestamp() + make_interval(secs => $3)
      or $3 = $4 and r.next_slot_at > clock_timestamp() + make_interval(secs => $4 + $2)
    returning next_slot_at - make_interval(secs => $2) as at)
  select at, (extract(epoch from at - clock_timestamp()) * 1000)::float8 as away_ms from taken
  union all
  select null, (extract(epoch from next_slot_at - clock_timestamp()) * 1000)::float8 from provider_rates
  where provider = $1 and not exists (select 1 from taken)`;

const slotRow = z.object({ at: z.date().nullable(), away_ms: z.number() });

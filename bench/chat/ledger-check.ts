/** After the load: whether the gateway's ledger says what was sent. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { z } from 'zod';
import { jsonUsage, streamUsage } from './wire.ts';

/** The price of a million tokens: whole micro-units a token, so that every call's price is exact. */
export const price = { input: 2, output: 8 };

/** Whose money the calls spend, and how much that was at first. */
export interface Purse {
  databaseUrl: string;
  account: string;
  openingBalance: number;
}

/** Calls that ended well, warm-ups included. */
export interface CallCounts {
  whole: number;
  streamed: number;
}

export interface Finding {
  holds: boolean;
  words: string;
}

const microsPerUnit = 1_000_000;
/** A settlement is committed in a group just after its answer's last byte. */
const settledMsMax = 10_000;

const totalsSchema = z.object({
  legs: z.string(),
  calls: z.string(),
  irregular: z.string(),
  open: z.string(),
  available: z.string(),
  held: z.string(),
});

const totals = `
  with calls as (
    select count(*) filter (where type = 'hold') as holds, count(*) filter (where type = 'capture') as captures
    from entries where account_id = $1 and type <> 'credit' group by transfer_id
  )
  select
    (select sum(d_available + d_held + d_revenue + d_top_ups + d_adjustments + d_write_offs) from entries)::text as legs,
    (select count(*) from calls)::text as calls,
    (select count(*) from calls where holds <> 1 or captures <> 1)::text as irregular,
    (select count(*) from holds where account_id = $1 and state <> 'captured')::text as open,
    available::text, held::text
  from accounts where id = $1`;

/** Asks the gateway's database, once all holds are settled or ten seconds have passed. */
export async function checkLedger(
  { databaseUrl, account, openingBalance }: Purse,
  sent: CallCounts,
): Promise<Finding[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const ask = async () => totalsSchema.parse((await client.query(totals, [account])).rows[0]);
    let found = await ask();
    for (const until = performance.now() + settledMsMax; found.held !== '0' && performance.now() < until;) {
      await sleep(100);
      found = await ask();
    }
    return findings(found, sent, openingBalance);
  } finally {
    await client.end();
  }
}

function findings(found: z.output<typeof totalsSchema>, sent: CallCounts, openingBalance: number): Finding[] {
  const count = sent.whole + sent.streamed;
  const priceOf = ({ input, output }: { input: number; output: number }) =>
    BigInt(input * price.input + output * price.output);
  const due = BigInt(sent.whole) * priceOf(jsonUsage) + BigInt(sent.streamed) * priceOf(streamUsage);
  const expected = BigInt(openingBalance * microsPerUnit) - due;
  return [
    { holds: found.legs === '0', words: `the sum of all legs is ${found.legs} micro-units` },
    {
      holds: found.calls === String(count) && found.irregular === '0' && found.open === '0',
      words:
        `${count} calls were answered and ${found.calls} are in the ledger; ` +
        `${found.irregular} lack exactly one hold and one settlement, ${found.open} holds are open`,
    },
    {
      holds: BigInt(found.available) === expected && found.held === '0',
      words: `the balance is ${found.available} micro-units, ${found.held} held; the start less the usage's price is ${expected}`,
    },
  ];
}

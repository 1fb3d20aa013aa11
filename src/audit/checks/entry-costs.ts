/**
 * Whether each cost is what its entry keeps of it makes: an amount times a rate, and the amount what the provider stated
 * where it came of that. A cost by the card of a call's route is not worked out again, as entries don't keep that card.
 */
import * as z from 'zod';
import { inGatewayCurrency } from '../../domain/billing/route-cost.ts';
import { statedDollars } from '../../domain/billing/stated-cost.ts';
import { pagesOf } from '../audit.ts';
import type { Check } from '../check-context.ts';
import { entriesInRange } from '../key-ranges.ts';

/** With `since`, of the entries since then. */
export const costsCheck: Check = {
  name: 'costs',
  async run(context) {
    for await (const rows of pagesOf(context, 'transfers', text, [context.since ?? null])) {
      for (const row of rows) {
        const [subject, type, cost, vendor, hasCapture] = entryRow.parse(row);
        const wrong = wrongOf(type, cost === null ? null : BigInt(cost), vendor, hasCapture);
        if (wrong !== undefined) context.found(subject, wrong);
      }
      context.looked('costs', rows.length);
    }
  },
};

function wrongOf(type: string, cost: bigint | null, vendor: string | null, hasCapture: boolean): string | undefined {
  if (type !== 'capture' && type !== 'write_off') return `a ${type} has no cost, no provider and nothing of it`;
  if (hasCapture) return cost === null ? undefined : 'its capture has a cost, too, so that it would be counted twice';
  const said = vendorSchema.safeParse(vendor);
  if (!said.success) return 'what it keeps of its provider is no JSON that a cost could be worked out from';
  const { cost: kept, usage } = said.data;
  const made = kept && inGatewayCurrency(kept);
  if (cost !== (made ?? null))
    return `its cost is ${cost ?? 'none'} micro-units, and what it keeps makes ${made ?? 'none'}`;
  if (kept?.source !== 'vendor' || usage === undefined) return undefined;
  const stated = statedDollars(usage);
  return stated === kept.amount
    ? undefined
    : `its cost is of ${kept.amount}, and its provider stated ${stated ?? 'none'}`;
}

const decimal = z.string().regex(/^\d{1,15}(\.\d{1,10})?$/);
const vendorSchema = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue('is no JSON');
      return z.NEVER;
    }
  })
  .pipe(
    z.object({
      usage: z.looseObject({}).optional(),
      cost: z.object({ amount: decimal, rate: decimal.optional(), source: z.enum(['route', 'vendor']) }).optional(),
    }),
  );

const entryRow = z.tuple([z.string(), z.string(), z.string().nullable(), z.string().nullable(), z.boolean()]);
const text = `select e.transfer_id || '.' || e.type, e.type, e.cost::text, e.vendor, e.type = 'write_off'
    and exists (select from entries c where c.transfer_id = e.transfer_id and c.type = 'capture')
  from ${entriesInRange} e
  where ($3::timestamptz is null or e.created_at >= $3) and (e.cost is not null or position('"cost":{' in e.vendor) > 0
    or e.type not in ('capture', 'write_off') and coalesce(e.provider, e.vendor) is not null)`;

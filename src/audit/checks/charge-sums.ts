/**
 * Whether each charge is what its price makes it: of a task by its sealed terms and the files that it ended with, of a call
 * by the provider's usage that is kept with it and the prices under which it was held. The rules are those by which it was charged.
 */
import * as z from 'zod';
import { chargeOfTask } from '../../domain/billing/charges.ts';
import { micros, type Money, roundedHalfUp } from '../../domain/money.ts';
import { costOfTask } from '../../domain/billing/route-cost.ts';
import { agreedRate } from '../../domain/billing/token-hold.ts';
import { cappedAt, miscountedUnit } from '../../domain/billing/token-lines.ts';
import { readKeptUsage } from '../../domain/billing/vendor-text.ts';
import { implausibleUsage, plausibleOf } from '../../domain/billing/overrun.ts';
import { readUsage } from '../../domain/usage/vendor-usage.ts';
import { taskKinds } from '../../domain/tasks/task-states.ts';
import { termsSchema } from '../../domain/tasks/terms.ts';
import { storedFileSchema } from '../../domain/tasks/stored-request.ts';
import { pagesOf } from '../audit.ts';
import type { Check, CheckContext } from '../check-context.ts';
import { entriesInRange, inRange, type Ranged } from '../key-ranges.ts';
import { lookedAt } from './task-row-rules.ts';

/** With `since`, the tasks that ended and the entries that were written since then. */
export const chargesCheck: Check = {
  name: 'charges',
  async run(context) {
    await judge(context, 'tasks', tasksText, 'charges of tasks', wrongOfTask);
    await judge(context, 'transfers', callsText, 'charges of calls', wrongOfCall);
  },
};

/** Says what is wrong with a row, whose first column is the subject. */
async function judge(
  context: CheckContext,
  ranged: Ranged,
  text: string,
  what: string,
  wrongOf: (row: readonly unknown[]) => string | undefined,
): Promise<void> {
  for await (const rows of pagesOf(context, ranged, text, [context.since ?? null])) {
    for (const row of rows) {
      const wrong = wrongOf(row);
      if (wrong !== undefined) context.found(z.string().parse(row[0]), wrong);
    }
    context.looked(what, rows.length);
  }
}

function wrongOfTask(row: readonly unknown[]): string | undefined {
  const parsed = taskRow.safeParse(row);
  if (!parsed.success) return 'its terms, its files or its entries are none that a charge could be worked out from';
  const [
    ,
    kind,
    terms,
    held,
    files,
    captured,
    units,
    unit,
    unitPrice,
    version,
    reason,
    written,
    why,
    left,
    provider,
    cost,
  ] = parsed.data;
  let charge: ReturnType<typeof chargeOfTask>;
  try {
    charge = chargeOfTask(kind, terms, held, files);
  } catch {
    return 'its terms and its files do not go together, so no charge could be worked out';
  }
  const { output, quote, most, thousandths } = charge;
  if (captured + written !== quote.amount)
    return `by its terms and files it costs ${quote.amount} micro-units; ${captured} were captured and ${written} written off`;
  if (thousandthsOf(units) !== thousandths || unit !== quote.unit || unitPrice !== quote.unitPrice)
    return `its entry says ${units} ${unit} at ${unitPrice}, its terms and files ${thousandths} thousandths of ${quote.unit} at ${quote.unitPrice}`;
  if (version !== terms.priceVersion) return `its entry names the price ${version}, its terms ${terms.priceVersion}`;
  if ((reason ?? undefined) !== quote.reason) return `its entry has the reason ${reason ?? 'none'}`;
  const costs = terms.routes
    .filter((route) => route.provider === provider)
    .map((route) => costOfTask(route.cost, output));
  if (costs.length > 0 && !costs.some((known) => (known?.cost ?? null) === cost))
    return `its entry has the cost ${cost ?? 'none'}, which no route to ${provider} makes by its terms and files`;
  const { due, implausible } = plausibleOf(quote.amount, most);
  return wrongOfWriteOff({ captured, due, written, why, left, isBeyond: implausible > 0n });
}

interface WriteOff {
  captured: bigint;
  /** What the customer had to pay. */
  due: bigint;
  written: bigint;
  why: string | null;
  /** Available after the capture. */
  left: bigint;
  isBeyond: boolean;
}

/** Only what is beyond a bound, or what was wanting when all else was taken, is written off. */
function wrongOfWriteOff({ captured, due, written, why, left, isBeyond }: WriteOff): string | undefined {
  if (captured > due) return `${captured} micro-units were captured, more than the ${due} that its bound allows`;
  if (isBeyond !== (why === implausibleUsage)) return `its write-off has the reason ${why ?? 'none'}`;
  if (captured < due && left > 0n)
    return `${due - captured} micro-units of ${due} were written off for want of money, and ${left} were left`;
  return written > 0n || why === null ? undefined : 'its write-off is of nothing';
}

function wrongOfCall(row: readonly unknown[]): string | undefined {
  const parsed = callRow.safeParse(row);
  if (!parsed.success) return 'its lines are none that a charge could be worked out from';
  const [, captured, written, why, left, held, lines, heldLines, version, heldVersion, source, vendor] = parsed.data;
  const exact = pricedAnew(lines);
  // What was counted here is never charged above the hold.
  const { lines: right, total } = source === 'estimated' ? cappedAt(held, exact) : exact;
  const wrong = lines.find((line, place) => line.amount !== right[place]?.amount);
  if (wrong)
    return `its line of ${wrong.units} ${wrong.unit} at ${wrong.price_per_million} a million says ${wrong.amount} micro-units`;
  const miscounted = vendor === null || source !== 'upstream' ? undefined : wrongOfUsage(lines, heldLines, vendor);
  if (miscounted !== undefined) return miscounted;
  if (captured + written !== total)
    return `its lines add up to ${total} micro-units; ${captured} were captured and ${written} written off`;
  if (version !== heldVersion)
    return `it was held at the price ${heldVersion ?? 'none'} and charged at ${version ?? 'none'}`;
  const dearer = lines.find((line) => isDearer(heldLines, line));
  if (dearer)
    return `its line of ${dearer.unit} is at ${dearer.price_per_million} a million, and it was held at another price`;
  if (why === implausibleUsage)
    return captured >= held || left === 0n
      ? undefined
      : 'its write-off is of implausible usage, and it is within its hold';
  return wrongOfWriteOff({ captured, due: total, written, why, left, isBeyond: false });
}

/** The lines count what the provider's usage says that is kept with them. */
function wrongOfUsage(lines: readonly Line[], heldLines: readonly Line[], vendor: string): string | undefined {
  const kept = readKeptUsage(vendor);
  if (kept === 'none') return undefined;
  if (kept === undefined) return 'what is kept of its usage is none that it could have been charged by';
  const { counts } = readUsage(kept.form, kept.usage, kept.toolCalls);
  const unit = miscountedUnit(lines, counts);
  if (unit !== undefined) return `its line of ${unit} has another number than the usage that is kept with it`;
  const left = heldLines.find(
    ({ unit, name = '', price_per_million: price }) =>
      unit === 'tool_call' && price > 0n && counts.toolCalls[name] !== undefined && !hasCallsOf(lines, name),
  );
  return left && `it has no line for its calls of ${left.name}, which its hold has a price for`;
}

const hasCallsOf = (lines: readonly Line[], tool: string): boolean =>
  lines.some(({ unit, name }) => unit === 'tool_call' && name === tool);

type Line = z.output<typeof line>;

/** The lines by their units and prices alone, cut from the running sums as they were when they were written. */
function pricedAnew(lines: readonly Line[]): { lines: Line[]; total: Money } {
  let exact = 0n;
  let total = micros(0n);
  const priced = lines.map((line) => {
    exact += line.price_per_million * BigInt(line.units);
    const next = roundedHalfUp(exact, 1_000_000n);
    const amount = micros(next - total);
    total = next;
    return { ...line, amount };
  });
  return { lines: priced, total };
}

/** Whether a line is dearer than what the hold's lines agree for it. Nearly all have a line there of the same price. */
const isDearer = (held: readonly Line[], { unit, name, price_per_million: price }: Line): boolean =>
  unit !== 'minimum_charge' &&
  !held.some((line) => line.unit === unit && line.name === name && line.price_per_million >= price) &&
  price > agreedRate(held.map(ratedLine), { unit, name });

const ratedLine = ({ price_per_million: pricePerMillion, ...line }: Line) => ({ ...line, pricePerMillion });

const thousandthsOf = (units: string): bigint => BigInt(units.replace('.', ''));

const money = z
  .string()
  .regex(/^-?\d{1,19}$/)
  .transform((digits): Money => micros(BigInt(digits)));
const none = z
  .null()
  .transform(() => micros(0n))
  .or(money);
const line = z.object({
  ...{ unit: z.string(), name: z.string().optional(), units: z.int().min(0) },
  ...{ price_per_million: money, amount: money },
});

const text = z.string().nullable();
const taskRow = z.tuple([
  z.string(),
  z.enum(taskKinds),
  termsSchema,
  money,
  z.array(storedFileSchema),
  money,
  z.string().regex(/^\d+\.\d{3}$/),
  z.string(),
  money,
  z.string(),
  text,
  none,
  text,
  money,
  text,
  money.nullable(),
]);
const tasksText = `select t.id, t.kind, t.terms, t.hold_amount::text, t.files, c.d_revenue::text, c.units::text, c.unit,
    c.unit_price::text, c.price_version, c.reason, w.d_revenue::text, w.reason, c.available_after::text, c.provider, c.cost::text
  from tasks t join entries c on c.transfer_id = t.transfer_id and c.type = 'capture'
  left join entries w on w.transfer_id = t.transfer_id and w.type = 'write_off'
  where t.state = 'succeeded' and ${lookedAt('$3')} and ${inRange('tasks', 't.id')}`;

const callRow = z.tuple([
  z.string(),
  money,
  none,
  text,
  money,
  money,
  z.array(line),
  z.array(line),
  text,
  text,
  text,
  text,
]);
const callsText = `select c.transfer_id || '.capture', c.d_revenue::text, w.d_revenue::text, w.reason, c.available_after::text,
    o.d_held::text, c.lines, o.lines, c.price_version, o.price_version, c.usage_source, c.vendor
  from ${entriesInRange} c join entries o on o.transfer_id = c.transfer_id and o.type = 'hold'
  left join entries w on w.transfer_id = c.transfer_id and w.type = 'write_off'
  where c.type = 'capture' and c.task_id is null and ($3::timestamptz is null or c.created_at >= $3)`;

/** Holds against entries, both ways: what a hold says is what its entries did. */
import * as z from 'zod';
import { report, sentences } from '../audit.ts';
import type { Check } from '../check-context.ts';
import { entriesInRange, holdsInRange, rangesOf } from '../key-ranges.ts';

/** An owner whose lease ran out that long ago should have been swept by any other process. */
const sweepMinutesMax = 10;

/**
 * With `since`, the holds that were made since then or have an entry of since then, with all their entries; and all
 * that are open. A hold and its entries are of one transfer, and so in one page.
 */
export const holds: Check = {
  name: 'holds',
  async run(context) {
    const { read, since, looked } = context;
    for await (const range of rangesOf(context, 'transfers')) {
      const values = [...range, since ?? null];
      const [row] = await read(`select count(*)::integer from ${newHolds} h`, values);
      looked('holds', z.tuple([z.int()]).parse(row)[0]);
      await report(context, comparedSql, values);
      await report(context, unheldSql, values);
      await report(context, openSql, range);
    }
    await report(context, heldSql, [], { joins: 'whole' });
  },
};

const newHolds = `(select * from ${holdsInRange} h where $3::timestamptz is null or h.created_at >= $3
    or exists (select from entries e where e.transfer_id = h.transfer_id and e.created_at >= $3))`;

const differs = (column: string, what: string, hold = `h.${column}`, entry = `o.${column}`): [string, string] => [
  `${hold} is distinct from ${entry}`,
  `format('${what} is %s, by its entry %s', ${hold}, coalesce((${entry})::text, 'none'))`,
];
const released = 'coalesce(-r.d_held, 0)';
const captured = 'coalesce(-c.d_held, 0)';

/** A closing entry whose facts are not those of the hold's own entry. */
const strays = (alias: string, type: string): [string, string] => [
  `(${alias}.account_id, ${alias}.key_id, ${alias}.task_id, ${alias}.request_id, ${alias}.model)
     is distinct from (o.account_id, o.key_id, o.task_id, o.request_id, o.model) and ${alias}.transfer_id is not null`,
  `format('its ${type} is of %s, its hold of %s', ${factsText(alias)}, ${factsText('o')})`,
];

// A transfer has one entry of a type, by the primary key. A hold's partition is that of its entries.
const comparedSql = `select * from (
  select h.transfer_id::text, case when o.transfer_id is null then 'no entry ever held its money' else ${sentences(
    differs('account_id', 'its account'),
    differs('key_id', 'its key'),
    differs('subject', 'its task or request', 'h.subject', 'coalesce(o.task_id, o.request_id)'),
    differs('amount', 'its amount', 'h.amount', 'o.d_held'),
    differs('created_at', 'its time'),
    strays('c', 'capture'),
    strays('r', 'release'),
    strays('w', 'write-off'),
    [
      `h.state = 'held' and (c.type is not null or r.type is not null or w.type is not null)`,
      `format('it is held, and yet there is its %s', coalesce(c.type, r.type, w.type))`,
    ],
    [`h.state = 'captured' and c.type is null`, `'it is captured, and there is no capture of it'`],
    [`h.state = 'released' and c.type is not null`, `'it is released, and there is a capture of it'`],
    [`h.state = 'released' and r.type is null`, `'it is released, and there is no release of it'`],
    [
      `h.state <> 'held' and (c.type is not null or r.type is not null) and ${captured} + ${released} <> h.amount`,
      `format('of its %s micro-units %s were captured and %s released', h.amount, ${captured}, ${released})`,
    ],
    [
      `w.type is not null and h.state <> 'held' and (w.reason is not distinct from 'owner_lost') <> (h.state = 'released')`,
      `format('it is %s, and its write-off is %s', h.state, coalesce(w.reason, 'for want of money'))`,
    ],
    [`h.owner is not null and h.state <> 'held'`, `format('it is %s, and yet %s owns it', h.state, h.owner)`],
    [
      `h.owner is not null and o.task_id is not null`,
      `format('it is of the task %s, and yet %s owns it', o.task_id, h.owner)`,
    ],
  )} end as says
  from ${newHolds} h
  left join entries o on o.transfer_id = h.transfer_id and o.type = 'hold'
  left join entries c on c.transfer_id = h.transfer_id and c.type = 'capture'
  left join entries r on r.transfer_id = h.transfer_id and r.type = 'release'
  left join entries w on w.transfer_id = h.transfer_id and w.type = 'write_off'
) as compared where says <> ''`;

const unheldSql = `select e.transfer_id || '.' || e.type, 'there is no hold that it belongs to'
  from ${entriesInRange} e where e.type not in ('credit', 'adjustment') and ($3::timestamptz is null or e.created_at >= $3)
    and not exists (select from holds h where h.transfer_id = e.transfer_id)`;

// What is open: a task's until the task ends, a call's while a living process owns it.
const openSql = `select * from (
  select h.transfer_id::text, ${sentences(
    [`o.task_id is not null and t.id is null`, `format('it is held for the task %s, which is not there', o.task_id)`],
    [`t.finished_at is not null`, `format('it is held, and its task %s is %s', t.id, t.state)`],
    [
      `o.transfer_id is not null and o.task_id is null and h.owner is null`,
      `format('it is held for the call %s, and no process owns it', h.subject)`,
    ],
    [
      `h.owner is not null and w.id is null`,
      `format('it is held by the process %s, which is gone: the sweep should have released it', h.owner)`,
    ],
    [
      `w.expires_at < clock_timestamp() - interval '${sweepMinutesMax} minutes'`,
      `format('it is held by the process %s, whose lease ended at %s: the sweep should have released it', h.owner, w.expires_at)`,
    ],
  )} as says
  from ${holdsInRange} h
  left join entries o on o.transfer_id = h.transfer_id and o.type = 'hold'
  left join tasks t on t.id = o.task_id and t.transfer_id = h.transfer_id
  left join owners w on w.id = h.owner
  where h.state = 'held'
) as open where says <> ''`;

// In one statement, since all of it changes together. Open holds are few: those of calls that processes own, and those of
// unfinished tasks, each along an index of its own. Any other open one is reported above.
const heldSql = `with open as (
    select h.account_id, h.amount from holds h where h.state = 'held' and h.owner is not null
    union all
    select h.account_id, h.amount from tasks t join holds h on h.transfer_id = t.transfer_id
    where t.finished_at is null and h.state = 'held' and h.owner is null
  )
  select a.id, format('%s micro-units are held, its open holds are of %s', a.held, coalesce(h.amount, 0))
  from accounts a left join (select account_id, sum(amount) as amount from open group by account_id) h on h.account_id = a.id
  where a.held <> coalesce(h.amount, 0)`;

function factsText(alias: string): string {
  return `concat_ws(', ', ${alias}.account_id, ${alias}.key_id, ${alias}.task_id, ${alias}.request_id, ${alias}.model)`;
}

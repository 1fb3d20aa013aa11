/** Holds against entries, both ways: what a hold says is what its entries did. */
import * as z from 'zod';
import { type Check, report, sentences } from './audit.ts';

/** An owner whose lease ran out that long ago should have been swept by any other process. */
const sweep_minutes_max = 10;

/**
 * With `since`, the holds that were made since then or have an entry of since then, with all their entries; and all
 * that are open.
 */
export const holds: Check = {
  name: 'holds',
  async run(context) {
    const { client, since, now, looked } = context;
    const counted = await client.query(
      `select count(*)::integer from holds h ${since ? `where ${isNew('h')}` : ''}`,
      since ? [since] : [],
    );
    looked('holds', z.tuple([z.object({ count: z.int() })]).parse(counted.rows)[0].count);
    await report(context, comparedSql(since !== undefined), since ? [since] : []);
    await report(context, unheldSql(since !== undefined), since ? [since] : []);
    await report(context, openSql, [now]);
    await report(context, heldSql);
  },
};

/** The transfers of new holds and of new entries. */
const isNew = (alias: string) => `${alias}.transfer_id in (
    select transfer_id from holds where created_at >= $1 union select transfer_id from entries where created_at >= $1)`;

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
const comparedSql = (isPart: boolean) => `select * from (
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
      `format('of its %s micro-yuan %s were captured and %s released', h.amount, ${captured}, ${released})`,
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
  from holds h
  left join entries o on o.transfer_id = h.transfer_id and o.type = 'hold'
  left join entries c on c.transfer_id = h.transfer_id and c.type = 'capture'
  left join entries r on r.transfer_id = h.transfer_id and r.type = 'release'
  left join entries w on w.transfer_id = h.transfer_id and w.type = 'write_off'
  ${isPart ? `where ${isNew('h')}` : ''}
) as compared where says <> ''`;

const unheldSql = (isPart: boolean) => `select e.transfer_id || '.' || e.type, 'there is no hold that it belongs to'
  from entries e where e.type not in ('credit', 'adjustment')
    and not exists (select from holds h where h.transfer_id = e.transfer_id)
    ${isPart ? 'and e.created_at >= $1' : ''}`;

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
      `w.expires_at < $1::timestamptz - interval '${sweep_minutes_max} minutes'`,
      `format('it is held by the process %s, whose lease ended at %s: the sweep should have released it', h.owner, w.expires_at)`,
    ],
  )} as says
  from holds h
  left join entries o on o.transfer_id = h.transfer_id and o.type = 'hold'
  left join tasks t on t.id = o.task_id and t.transfer_id = h.transfer_id
  left join owners w on w.id = h.owner
  where h.state = 'held'
) as open where says <> ''`;

const heldSql = `select a.id, format('%s micro-yuan are held, its open holds are of %s', a.held, coalesce(h.amount, 0))
  from accounts a
  left join (select account_id, sum(amount) as amount from holds where state = 'held' group by account_id) h
    on h.account_id = a.id
  where a.held <> coalesce(h.amount, 0)`;

function factsText(alias: string): string {
  return `concat_ws(', ', ${alias}.account_id, ${alias}.key_id, ${alias}.task_id, ${alias}.request_id, ${alias}.model)`;
}

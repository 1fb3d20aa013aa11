/** Keys' counters against the entries of what they counted: calls, spending and running tasks, in all and in the current windows. */
import * as z from 'zod';
import { type Window, windows } from '../../domain/keys.ts';
import { type Check, report, sentences } from './audit.ts';

/**
 * With `since`, only what needs nothing older: when a key was last counted, and those of its windows that began since then.
 */
export const counters: Check = {
  name: 'counters',
  async run(context) {
    const { client, since, looked } = context;
    await report(context, countersSql(since !== undefined), since ? [since] : []);
    await report(context, runningSql);
    const { rows } = await client.query('select count(*)::integer from api_keys');
    looked('keys', z.tuple([z.object({ count: z.int() })]).parse(rows)[0].count);
  },
};

const startOf = (window: Window, at: string) =>
  window === 'total' ? `timestamptz 'epoch'` : `date_trunc('${window}', ${at})`;

const calls = (window: Window) => `count(*) filter (where m.counted_at >= l.${window}_start)`;
// What was settled is corrected in the windows of its admission, if they are still the current ones. They are not, from
// the start, where a clock was behind what the key had seen: then it was counted in the later window.
const spent = (
  window: Window,
) => `coalesce(sum(case when m.admitted_at >= l.${window}_start then m.spent else m.held end)
    filter (where m.counted_at >= l.${window}_start), 0)`;

const newSql = `select key_id, min(seq) as seq from entries where type = 'hold' and created_at >= $1 group by key_id`;

// A key counts in the order of its account's entries, and a window never moves back.
const countersSql = (isPart: boolean) => `with counted as materialized (
    select o.key_id, o.created_at as admitted_at, o.d_held as held,
      case when c.type is not null then c.d_revenue when r.type is not null then 0 else o.d_held end as spent,
      max(o.created_at) over (partition by o.key_id order by o.seq) as counted_at
    from entries o
    left join entries c on c.transfer_id = o.transfer_id and c.type = 'capture'
    left join entries r on r.transfer_id = o.transfer_id and r.type = 'release'
    ${isPart ? `join (${newSql}) n on n.key_id = o.key_id and o.seq >= n.seq` : ''}
    where o.type = 'hold'
  ),
  latest as (
    select key_id, at, ${windows.map((window) => `${startOf(window, 'at')} as ${window}_start`).join(', ')}
    from (select key_id, max(counted_at) as at from counted group by key_id) l
  ),
  made as (
    select l.key_id, l.at, ${windows
      .flatMap((window) => [
        `l.${window}_start`,
        `${calls(window)} as calls_${window}`,
        `${spent(window)} as spent_${window}`,
      ])
      .join(', ')}
    from latest l join counted m on m.key_id = l.key_id
    group by l.key_id, l.at, ${windows.map((window) => `l.${window}_start`).join(', ')}
  )
  select * from (
    select coalesce(k.id, m.key_id), case when k.id is null then 'there is no such key, and entries name it' else ${sentences(
      ...lastCounted(isPart),
      ...windows.flatMap((window) => (['calls', 'spent'] as const).map((what) => compared(what, window, isPart))),
    )} end as says
    from api_keys k full join made m on m.key_id = k.id
  ) as compared where says <> ''`;

const lastCounted = (isPart: boolean): [string, string][] => [
  [
    isPart ? 'm.at <> k.counted_at or (m.at is null and k.counted_at >= $1)' : 'm.at is distinct from k.counted_at',
    `format('it last counted at %s, by the entries at %s', coalesce(k.counted_at::text, 'no time'), coalesce(m.at::text, 'no time'))`,
  ],
];

function compared(what: 'calls' | 'spent', window: Window, isPart: boolean): [string, string] {
  const column = `${what}_${window}`;
  const isKnown = isPart ? `m.${window}_start >= $1 and ` : '';
  return [
    `${isKnown}k.${column} <> coalesce(m.${column}, 0)`,
    `format('${column} is %s, by the entries %s', k.${column}, coalesce(m.${column}, 0))`,
  ];
}

const runningSql = `select k.id, format('%s running tasks are counted, %s of its tasks run', k.running_tasks, coalesce(t.count, 0))
  from api_keys k
  left join (select key_id, count(*) from tasks where state not in ('succeeded', 'failed', 'cancelled') group by key_id) t
    on t.key_id = k.id
  where k.running_tasks <> coalesce(t.count, 0)`;

/** Keys' running tasks against the tasks that run. What else a key counts is compared where its account's entries are read. */
import * as z from 'zod';
import { report } from '../audit.ts';
import type { Check } from '../check-context.ts';

export const counters: Check = {
  name: 'counters',
  async run(context) {
    const { read, looked } = context;
    await report(context, runningSql, [], { joins: 'whole' });
    const [row] = await read('select count(*)::integer from api_keys');
    looked('keys', z.tuple([z.int()]).parse(row)[0]);
  },
};

// In one statement, since both change together. Unfinished tasks have an index of their own.
const runningSql = `select k.id, format('%s running tasks are counted, %s of its tasks run', k.running_tasks, coalesce(t.count, 0))
  from api_keys k
  left join (select key_id, count(*) from tasks where finished_at is null group by key_id) t on t.key_id = k.id
  where k.running_tasks <> coalesce(t.count, 0)`;

/**
 * More entries than the product writes in a minute or two: copies of a ledger that it wrote, made by SQL. A copy has
 * customers of its own, with the same balances, counters, holds, tasks and entries as the first ones, under ids that begin
 * a little earlier; so every row agrees with every other, but for the links and seals, which are not signed: such a ledger
 * is written to, never audited. All goes to the partition of this month, where the admissions go too: spread over more
 * months it would cost them less.
 */
import type pg from 'pg';
import { z } from 'zod';
import { onDatabase } from './databases.ts';

const atOnce = 2;
const copiesMax = 0xfff;

/** Adds so many copies of everything that a ledger has. `done` is called after each. */
export async function addCopies(
  url: string,
  copies: number,
  { done, signal }: { done: (count: number) => void; signal: AbortSignal },
): Promise<void> {
  if (copies > copiesMax) throw new Error(`there can be ${copiesMax} copies`);
  await onDatabase(url, async (client) => {
    // All read the ledger as it was before any of them.
    await client.query('begin isolation level repeatable read');
    const { snapshot, stepMs } = await readFirst(client, copies);
    let begun = 0;
    let ended = 0;
    const work = async () => {
      while (begun < copies) {
        signal.throwIfAborted();
        const copy = ++begun;
        await onDatabase(url, (own) => addCopy(own, snapshot, { copy, earlierMs: copy * stepMs }));
        done(++ended);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
  });
}

const firstRow = z.object({ snapshot: z.string(), span: z.coerce.number(), room: z.coerce.number() });

/** How much earlier each copy is: it ends where the next begins, as long as the month was not over before. */
async function readFirst(client: pg.Client, copies: number): Promise<{ snapshot: string; stepMs: number }> {
  const { rows } = await client.query(
    `select pg_export_snapshot() as snapshot, extract(epoch from max(created_at) - min(created_at)) * 1000 as span,
       extract(epoch from min(created_at) - (date_trunc('month', now() at time zone 'UTC') at time zone 'UTC')) * 1000 as room
     from holds`,
  );
  const { snapshot, span, room } = firstRow.parse(rows[0]);
  return { snapshot, stepMs: Math.max(1, Math.floor(Math.min(span, room / copies))) };
}

interface Copy {
  copy: number;
  earlierMs: number;
}

/** Tables in the order of what they refer to; of each, the columns that get other values than they have. */
function changesOf({ copy, earlierMs }: Copy): Record<string, Record<string, string>> {
  // Ids end in random digits, and none in an x: they stay apart, and in their order.
  const mark = `x${copy.toString(16).padStart(3, '0')}`;
  const id = (column: string) => `left(${column}, -4) || '${mark}'`;
  const uuid = `(lpad(to_hex(('x' || left(replace(transfer_id::text, '-', ''), 12))::bit(48)::bigint - ${earlierMs}), 12, '0')
    || right(replace(transfer_id::text, '-', ''), 20))::uuid`;
  const created = { created_at: `created_at - ${earlierMs} * interval '1 millisecond'` };
  const owned = { account_id: id('account_id'), key_id: id('key_id'), transfer_id: uuid, ...created };
  return {
    accounts: { id: id('id') },
    api_keys: { id: id('id'), account_id: id('account_id'), hash: `sha256(hash || '${mark}'::bytea)` },
    holds: { ...owned, subject: id('subject') },
    tasks: { ...owned, id: id('id'), request_id: id('request_id') },
    entries: { ...owned, request_id: id('request_id'), task_id: id('task_id') },
  };
}

async function addCopy(client: pg.Client, snapshot: string, copy: Copy): Promise<void> {
  await client.query('begin isolation level repeatable read');
  await client.query(`set transaction snapshot '${snapshot}'`);
  await client.query('set local synchronize_seqscans = off'); // in the order in which they were written
  for (const [table, changes] of Object.entries(changesOf(copy))) {
    const { rows } = await client.query(
      `select string_agg(quote_ident(attname), ',' order by attnum) as names from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
      [table],
    );
    const names = namesRow.parse(rows[0]).names.split(',');
    const values = names.map((name) => changes[name] ?? name);
    await client.query(`insert into ${table} (${names.join(', ')}) select ${values.join(', ')} from ${table}`);
  }
  await client.query('commit');
}

const namesRow = z.object({ names: z.string() });

/** Rows as they are declared: their columns, their parse, and what a scan reports of one that can't be read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { micros } from '../../src/domain/money.ts';
import { readableRows, type UnreadableRow } from '../../src/postgres/readable-rows.ts';
import { computed, id, money, pick, row } from '../../src/postgres/row.ts';

const columns = {
  id: id<'tsk_1' | 'tsk_2'>(),
  holdAmount: money,
  finishedAt: z.date().nullable(),
  ageMs: computed('extract(epoch from now() - created_at)::float8 * 1000', z.number()),
};
const declared = row(columns);

test('a row reads its columns in snake case, computed ones by their SQL, each under its key', () => {
  const age = 'extract(epoch from now() - created_at)::float8 * 1000 as "ageMs"';
  assert.equal(declared.columns, `id, hold_amount as "holdAmount", finished_at as "finishedAt", ${age}`);
  assert.equal(declared.columnsOf('t'), `t.id, t.hold_amount as "holdAmount", t.finished_at as "finishedAt", ${age}`);
});

test('a row is parsed into what it declares, and other columns are left out', () => {
  const read = { id: 'tsk_1', holdAmount: 5n, finishedAt: null, ageMs: 1.5, other: 1 };
  assert.deepEqual(declared.parse(read), { id: 'tsk_1', holdAmount: micros(5n), finishedAt: null, ageMs: 1.5 });
});

test('a row of some columns of a table reads only these', () => {
  const some = row(pick(columns, 'id', 'finishedAt'));
  assert.equal(some.columns, 'id, finished_at as "finishedAt"');
  assert.deepEqual(some.parse({ id: 'tsk_1', finishedAt: null }), { id: 'tsk_1', finishedAt: null });
});

test('an unreadable row is reported by its columns, also where a value made of it is at fault', () => {
  const stored = z.object({ prompt: z.string() });
  const made = row({ ...pick(columns, 'id', 'holdAmount'), request: z.unknown() }).as(({ request, ...rest }) => ({
    ...rest,
    ...stored.parse(request),
  }));
  const faults: UnreadableRow[] = [];
  const rows = [
    { id: 'tsk_1', holdAmount: 5n, request: { prompt: 'a cat' } },
    { id: 'tsk_2', holdAmount: 5, request: { prompt: 'a cat' } },
    { id: 'tsk_2', holdAmount: 5n, request: {} },
  ];
  const readable = readableRows(made, rows, (fault) => faults.push(fault));
  assert.deepEqual(readable, [{ id: 'tsk_1', holdAmount: micros(5n), prompt: 'a cat' }]);
  assert.deepEqual(
    faults.map(({ id, fault }) => [id, fault.split(':')[0]]),
    [
      ['tsk_2', 'hold_amount'],
      ['tsk_2', 'prompt'],
    ],
  );
});

/** Arrays in PostgreSQL's binary format, read back by PostgreSQL itself. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as arrays from '../../src/postgres/binary-arrays.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';

let made: TestDatabase;
before(async () => {
  made = await freshDatabase();
});
after(() => made.drop());

const same = <T>(value: T) => value;
const day = (text: string) => new Date(`${text}Z`);
const uuid = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';

for (const [type, sent, shown] of [
  ['text', arrays.texts(['', 'a', '文字 🦊', '{"a,b"}\\\n', null], same), ['', 'a', '文字 🦊', '{"a,b"}\\\n', null]],
  ['bigint', arrays.bigints([0n, -1n, 2n ** 63n - 1n, null], same), ['0', '-1', '9223372036854775807', null]],
  ['integer', arrays.integers([0, -5, 2 ** 31 - 1], same), ['0', '-5', '2147483647']],
  ['boolean', arrays.booleans([true, false, null], same), ['true', 'false', null]],
  ['bytea', arrays.byteas([Buffer.from('00ff', 'hex'), Buffer.alloc(0)], same), ['\\x00ff', '\\x']],
  ['uuid', arrays.uuids([uuid, null], same), [uuid, null]],
  ['xid', arrays.transactionIds([3, 2 ** 32 - 1], same), ['3', '4294967295']],
  [
    'timestamptz',
    arrays.moments([day('1999-12-31T23:59:59.999'), day('2026-11-21T08:09:10.123')], same),
    ['1999-12-31 23:59:59.999+00', '2026-11-21 08:09:10.123+00'],
  ],
  ['text', arrays.texts([], same), []],
  // The same in all rows: written once and copied.
  ['text', arrays.texts(Array<string>(7).fill('文字'), same), Array<string>(7).fill('文字')],
  ['bigint', arrays.bigints([-3n, -3n], same), ['-3', '-3']],
  ['bytea', arrays.byteas([null, null, null], same), [null, null, null]],
  ['uuid', arrays.uuids(Array<string>(5).fill(uuid.toUpperCase()), same), Array<string>(5).fill(uuid)],
] as const) {
  test(`${type}[] of ${shown.length}`, async () => {
    const client = await made.database.pool.connect();
    try {
      await client.query(`set timezone = 'UTC'`);
      const { rows } = await client.query<{ shown: string[] }>(
        `select coalesce(array_agg(each::text), '{}') as shown from unnest($1::${type}[]) as each`,
        [sent],
      );
      assert.deepEqual(rows[0]?.shown, shown);
    } finally {
      client.release(true);
    }
  });
}

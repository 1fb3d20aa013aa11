/** Records of requests, written as a process of the API writes them. */
import type { Database } from '../../src/postgres/database.ts';
import { RequestGroup } from '../../src/request-records/request-group.ts';
import type { RequestRecord } from '../../src/request-records/request-record.ts';
import { writeRequests } from '../../src/request-records/write-requests.ts';

export async function writeRecords(database: Database, records: readonly RequestRecord[]): Promise<void> {
  const group = new RequestGroup();
  for (const record of records) group.add(record);
  await writeRequests(database, group);
}

/** Makes the partition of a moment's day. Those before yesterday are only kept, never made, and 25 hours ago may be in one. */
export async function addDayOf({ pool }: Pick<Database, 'pool'>, moment: Date): Promise<void> {
  const day = moment.toISOString().slice(0, 10);
  await pool.query(`create table if not exists requests_${day.replaceAll('-', '_')} partition of requests
    for values from ('${day} 00:00Z') to ('${day} 24:00Z')`);
}

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

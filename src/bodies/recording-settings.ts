/** Whether the bodies of an account are recorded, and how; and the deletion of all that were. Each change is logged. */
import type pg from 'pg';
import * as z from 'zod';
import type { AccountId } from '../domain/ids.ts';
import { bodyRulesDefault, type BodyRules } from '../domain/requests/body-recording.ts';
import { administer, type Administrator } from '../ledger/audit-log.ts';
import type { Database } from '../postgres/database.ts';
import { row } from '../postgres/row.ts';

export interface BodyRecording extends BodyRules {
  isOn: boolean;
}

const recordingRow = row({ isOn: z.boolean(), retentionDays: z.int(), redactedFields: z.array(z.string()) });

/** What is set; off, where an owner never set anything. */
export const findBodyRecording = ({ pool }: Database, account: AccountId): Promise<BodyRecording> =>
  readRecording(pool, account);

async function readRecording(client: Pick<pg.ClientBase, 'query'>, account: AccountId): Promise<BodyRecording> {
  const { rows } = await client.query({
    name: 'find-body-recording',
    text: `select ${recordingRow.columns} from body_recordings where account_id = $1`,
    values: [account],
  });
  return rows[0] === undefined ? { isOn: false, ...bodyRulesDefault } : recordingRow.parse(rows[0]);
}

/**
 * Sets what is named; what is so already is not logged as a change. Another retention holds for what was recorded before,
 * too. All processes follow within the three seconds for which they remember a key. Switched off, what was recorded stays
 * until its time is up, or `deleteBodies`.
 */
export async function changeBodyRecording(
  by: Administrator,
  account: AccountId,
  changes: Partial<BodyRecording>,
): Promise<BodyRecording> {
  await administer(by, async (client) => {
    // Changes of an account take turns.
    await client.query('select 1 from accounts where id = $1 for no key update', [account]);
    const before = await readRecording(client, account);
    const next = { ...before, ...changes };
    if (JSON.stringify(next) === JSON.stringify(before)) return undefined;
    const { isOn, retentionDays, redactedFields } = next;
    await client.query(
      `insert into body_recordings (account_id, is_on, retention_days, redacted_fields) values ($1, $2, $3, $4)
       on conflict (account_id) do update set is_on = $2, retention_days = $3, redacted_fields = $4`,
      [account, isOn, retentionDays, redactedFields],
    );
    if (retentionDays !== before.retentionDays)
      await client.query(
        `update recorded_bodies set expires_at = created_at + make_interval(days => $2)
         where account_id = $1 and expires_at > clock_timestamp()`,
        [account, retentionDays],
      );
    const details = {
      record_bodies: String(isOn),
      retention_days: String(retentionDays),
      redacted_fields: listedNames(redactedFields),
    };
    return { act: { action: 'body_recording.changed', account, subject: null, details }, outcome: undefined };
  });
  return findBodyRecording(by.database, account);
}

/** Of no two lists the same: the audit compares the row with it. */
const listedNames = (names: readonly string[]): string =>
  names.map((name) => name.replaceAll('\\', '\\\\').replaceAll(',', '\\,')).join(', ');

/** Has all bodies of the account expire now: none can be read any more, and the next sweep deletes them. Returns how many. */
export async function deleteBodies(by: Administrator, account: AccountId): Promise<number> {
  const deleted = await administer(by, async (client) => {
    const { rowCount } = await client.query(
      `update recorded_bodies set expires_at = clock_timestamp() where account_id = $1 and expires_at > clock_timestamp()`,
      [account],
    );
    const count = rowCount ?? 0;
    if (count === 0) return undefined;
    return {
      act: { action: 'bodies.deleted', account, subject: null, details: { count: String(count) } },
      outcome: count,
    };
  });
  return deleted ?? 0;
}

/** Notes in the audit log that the bodies of a request are read; to be awaited before they are shown. */
export async function logBodyRead(by: Administrator, account: AccountId, requestId: string): Promise<void> {
  const details = { request: requestId };
  await administer(by, () =>
    Promise.resolve({ act: { action: 'body.read', account, subject: null, details }, outcome: undefined }),
  );
}

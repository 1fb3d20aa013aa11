/** An account's videos that were not deleted, with their requests. */
import type { AccountId } from '../../domain/ids.ts';
import type { Database } from '../../postgres/database.ts';
import type { TaskPosition } from './task-list.ts';
import { type Task, taskRow } from './task-rows.ts';

export type ListOrder = 'asc' | 'desc';

/** Up to `limit` videos behind that position, or the first ones: of the newest (`desc`) or the oldest. */
export async function listVideos(
  database: Database,
  account: AccountId,
  { limit, after, order }: { limit: number; after: TaskPosition | undefined; order: ListOrder },
): Promise<Task[]> {
  const isBehind = `(created_at, id) ${order === 'desc' ? '<' : '>'} ($3::timestamptz, $4)`;
  const { rows } = await database.keyed.query({
    name: `list-videos-${order}${after ? '-after' : ''}`,
    text: `select ${taskRow.columns} from tasks
      where account_id = $1 and kind = 'video' and removed_at is null${after ? ` and ${isBehind}` : ''}
      order by created_at ${order}, id ${order} limit $2`,
    values: [account, limit, ...(after ? [after.createdAt, after.id] : [])],
  });
  return rows.map((row) => taskRow.parse(row));
}

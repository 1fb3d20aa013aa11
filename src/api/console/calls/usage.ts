/** What the account used and paid by day, model or key. */
import * as z from 'zod';
import { findAccount } from '../../../accounts/accounts.ts';
import { keyNames } from '../../../accounts/key-names.ts';
import type { Usage } from '../../../ledger/usage-report.ts';
import { stretchOf } from '../../../ledger/sequence-range.ts';
import { rangeIn } from '../../lists/list-query.ts';
import { listObject, readPage } from '../../lists/list-page.ts';
import { usageFields, usageSums } from '../../presenters/usage.ts';
import { groupOfCursor, usageListing, usageQuery } from '../../lists/usage-list.ts';
import { type AccountAsk, accountCall } from '../console-call.ts';
import { listOf } from '../list-record.ts';

const row = z.strictObject({
  object: z.literal('usage'),
  day: z.string().optional().describe('With `group_by=day`.'),
  model: z.string().optional().describe('With `group_by=model`.'),
  key_id: z.string().optional().describe('With `group_by=key`.'),
  key_name: z.string().nullable().optional().describe('Likewise.'),
  ...usageFields,
});

// A chart shows all its days or models at once: these are a year of days, and most accounts' keys.
const rowsMax = 400;
const limitRule = `must be an integer from 1 to ${rowsMax}`;
const query = usageQuery.safeExtend({
  limit: z
    .string(limitRule)
    .regex(/^\d{1,3}$/, limitRule)
    .transform(Number)
    .refine((count) => count >= 1 && count <= rowsMax, limitRule)
    .default(rowsMax),
});

const listUsage = accountCall({
  method: 'get',
  path: '/accounts/{account}/usage',
  id: 'listUsage',
  summary: 'What was used and paid, by day, model or key',
  needs: 'member',
  query,
  answer: listOf(row),
  handle: async (ask) => {
    const { group_by: by, limit, cursor } = ask.query;
    const after = cursor === undefined ? undefined : groupOfCursor(by, cursor);
    const page = await readPage(await listingOf(ask), { limit, after });
    const names =
      by === 'key'
        ? await keyNames(
            ask.deps.database,
            ask.account,
            page.rows.map(({ group }) => group),
          )
        : null;
    return listObject(page, (usage: Usage) => ({
      object: 'usage' as const,
      ...(by === 'day' && { day: usage.group }),
      ...(by === 'model' && { model: usage.group }),
      ...(names && { key_id: usage.group, key_name: names.get(usage.group) ?? null }),
      ...usageSums(usage),
    }));
  },
});

export const usageCalls = [listUsage];

type Range = Pick<z.output<typeof usageQuery>, 'group_by' | 'from' | 'to' | 'time_zone'>;

async function listingOf({ deps: { calls, database }, account, query }: AccountAsk<Range, unknown>) {
  await calls.settled(account);
  const { group_by: by, time_zone: asked, ...written } = query;
  const found = await findAccount(database, account);
  const timeZone = asked ?? found?.timeZone ?? 'UTC';
  const range = rangeIn(timeZone, written);
  const stretch = await stretchOf(database, account, found?.seq ?? 0n, range);
  return usageListing(database, account, by, { ...range, ...stretch, timeZone });
}

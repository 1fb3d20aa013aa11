/** What a pasted id or a part of a name means, for the way there by the keyboard. */
import * as z from 'zod';
import { findByText } from '../../../accounts/find-by-text.ts';
import { membershipsOf, type Person, roleOf } from '../../../accounts/people.ts';
import type { AccountId } from '../../../domain/ids.ts';
import { searchField } from '../../../domain/requests/operator.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { listObject } from '../../lists/list-page.ts';
import { personCall } from '../console-call.ts';
import { listOf } from '../list-record.ts';

const foundRecord = z.strictObject({
  kind: z.enum(['task', 'batch', 'request', 'entries', 'key', 'account']),
  id: z.string().nullable().describe('Of entries: of their task or request; null where they have none.'),
  name: z.string().nullable(),
  account: z.strictObject({ id: z.string(), name: z.string() }),
});

const find = personCall({
  method: 'get',
  path: '/find',
  id: 'find',
  summary: "What an id, or a part of a key's or an account's name, means in the accounts that the person may see",
  query: z.object({ text: searchField }),
  answer: listOf(foundRecord),
  handle: async ({ deps, person, query: { text } }) => {
    await deps.requests.written(); // a request that was answered just now is found
    const accounts = person.isOperator ? undefined : await accountsOf(deps, person);
    const rows = await findByText(deps.database, text, accounts);
    return listObject({ rows, nextCursor: null }, ({ kind, id, name, accountId, accountName }) => ({
      ...{ kind, id, name },
      account: { id: accountId, name: accountName },
    }));
  },
});

export const findCalls = [find];

/** Those in which the person's right is as the gateway sealed it. */
async function accountsOf({ database, secrets }: ApiDependencies, { id }: Person): Promise<AccountId[]> {
  const accounts = (await membershipsOf(database, id)).map(({ accountId }) => accountId);
  const roles = await Promise.all(accounts.map((account) => roleOf(database, secrets.ledgerKeys, id, account)));
  return accounts.filter((_, at) => roles[at] !== undefined);
}

/** One account, as its people see it. */
import * as z from 'zod';
import { GatewayError } from '../../../domain/errors.ts';
import { accountRoles } from '../../../domain/accounts/person-rules.ts';
import { findAccount } from '../../../accounts/accounts.ts';
import { accountFields, accountObject } from '../../presenters/account.ts';
import { accountCall } from '../console-call.ts';

const getAccount = accountCall({
  method: 'get',
  path: '/accounts/{account}',
  id: 'getAccount',
  summary: 'The account, its balance, and what you are to it',
  needs: 'member',
  answer: z.strictObject({
    ...accountFields,
    status: z.enum(['active', 'suspended']),
    role: z.enum([...accountRoles, 'operator']),
  }),
  handle: async ({ deps, account, role }) => {
    await deps.calls.settled(account);
    const found = await findAccount(deps.database, account);
    if (!found) throw new GatewayError('internal_error', 'This account no longer exists.');
    return { ...accountObject(found, deps.configuration.currency), status: found.status, role };
  },
});

export const accountCalls = [getAccount];

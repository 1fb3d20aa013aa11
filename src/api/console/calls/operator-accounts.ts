/** All accounts, for operators: making, crediting, correcting, changing and suspending them. */
import * as z from 'zod';
import { unixSeconds } from '../../../domain/unix-seconds.ts';
import { GatewayError } from '../../../domain/errors.ts';
import type { AccountId } from '../../../domain/ids.ts';
import { type Money, amountText } from '../../../domain/money.ts';
import { emailField } from '../../../domain/accounts/person-rules.ts';
import { accountChangesBody, accountChangesOf } from '../../../domain/requests/account.ts';
import {
  accountNameField,
  positiveAmountField,
  reasonField,
  requestField,
  searchField,
  signedAmountField,
} from '../../../domain/requests/operator.ts';
import { changeAccount, createAccount, resumeAccount, suspendAccount } from '../../../accounts/accounts.ts';
import {
  type AccountPosition,
  findListedAccount,
  listAccountPage,
  type ListedAccount,
} from '../../../accounts/account-list.ts';
import { invite } from '../../../accounts/invitations.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { type Listing, listObject, readPage } from '../../lists/list-page.ts';
import { cursorRule, limit, pageRowsDefault } from '../../lists/list-query.ts';
import { accountFields, accountObject } from '../../presenters/account.ts';
import { checkWebhookUrl } from '../../../tasks/create/caller-addresses.ts';
import { operatorCall, type PersonAsk } from '../console-call.ts';
import { listOf } from '../list-record.ts';
import { linkObject, linkRecord } from '../operator-records.ts';

const accountRecord = z.strictObject({
  ...accountFields,
  status: z.enum(['active', 'suspended']),
  /** A charge had to be written off for want of money: refused until credited. */
  in_arrears: z.boolean(),
  created: z.int(),
  keys: z.int().describe('Those that were not revoked.'),
  members: z.int(),
});

const present = (
  { configuration: { currency } }: ApiDependencies,
  account: ListedAccount,
): z.input<typeof accountRecord> => ({
  ...accountObject(account, currency),
  status: account.status,
  in_arrears: account.inArrears,
  created: unixSeconds(account.createdAt),
  keys: account.keys,
  members: account.members,
});

const cursorForm = /^(\d{1,14})\.(acc_[0-9a-f]{32})$/;
const listAccounts = operatorCall({
  method: 'get',
  path: '/operator/accounts',
  id: 'listAccounts',
  summary: 'All accounts, newest first',
  query: z.object({
    limit,
    cursor: z
      .string(cursorRule)
      .regex(cursorForm, cursorRule)
      .transform((cursor): AccountPosition => {
        const [, ms = '', id = ''] = cursorForm.exec(cursor) ?? [];
        return { createdAt: new Date(Number(ms)), id };
      })
      .optional(),
    search: searchField.optional(),
    status: z.enum(['active', 'suspended'], "must be 'active' or 'suspended'").optional(),
  }),
  answer: listOf(accountRecord),
  handle: async ({ deps, query: { limit: rows, cursor, search, status } }) => {
    const listing: Listing<ListedAccount, AccountPosition> = {
      read: (page) => listAccountPage(deps.database, { search, status }, page),
      positionOf: ({ createdAt, id }) => ({ createdAt, id }),
      cursorOf: ({ createdAt, id }) => `${createdAt.getTime()}.${id}`,
    };
    return listObject(await readPage(listing, { limit: rows ?? pageRowsDefault, after: cursor }), (account) =>
      present(deps, account),
    );
  },
});

const getListedAccount = operatorCall({
  method: 'get',
  path: '/operator/accounts/{account}',
  id: 'getListedAccount',
  summary: 'One account',
  answer: accountRecord,
  handle: async ({ deps, params }) => present(deps, await named(deps, params)),
});

const createCall = operatorCall({
  method: 'post',
  path: '/operator/accounts',
  id: 'createAccount',
  summary:
    'Make an account, with money and a one-time link for its owner if they are named; sent again, it is the same one',
  body: z.strictObject({
    request: requestField,
    name: accountNameField,
    balance: positiveAmountField.nullish(),
    owner_email: emailField.nullish(),
  }),
  answer: z.strictObject({ account: accountRecord, link: linkRecord.nullable() }),
  handle: async ({ deps, by, body: { request, name, balance, owner_email: email } }) => {
    // The form's own id is the account's: however often it is sent, there is one.
    const account = await createAccount(by, name, `acc_${request.replaceAll('-', '')}` as AccountId);
    if (account.name !== name) throw reused();
    if (balance)
      await book({ deps, by }, account.id, 'credit', { request, amount: balance, reason: 'opening balance' });
    const offer = { account: account.id, role: 'owner', makesOperator: false } as const;
    // A link whose answer was lost is no good to anybody, so a form that is sent again gets another.
    const link = email ? linkObject(await invite(by, { email, ...offer })) : null;
    return { account: present(deps, await listed(deps, account.id)), link };
  },
});

const changeCall = operatorCall({
  method: 'patch',
  path: '/operator/accounts/{account}',
  id: 'changeListedAccount',
  summary: "Set an account's name, webhook, low-balance threshold and time zone; null clears",
  body: accountChangesBody,
  answer: accountRecord,
  handle: async ({ deps, by, params, body }) => {
    const { id } = await named(deps, params);
    const changes = accountChangesOf(body);
    if (typeof changes.webhookUrl === 'string') await checkWebhookUrl(deps, { webhookUrl: changes.webhookUrl });
    await changeAccount(by, id, changes);
    return present(deps, await listed(deps, id));
  },
});

const bookedAnswer = z.strictObject({
  account: accountRecord,
  /** False: this very request was booked before, and nothing was booked now. */
  is_new: z.boolean(),
});

const creditCall = operatorCall({
  method: 'post',
  path: '/operator/accounts/{account}/credits',
  id: 'creditAccount',
  summary: 'Add money to an account; sent again with the same `request`, it is booked once',
  body: z.strictObject({ request: requestField, amount: positiveAmountField, reason: reasonField }),
  answer: bookedAnswer,
  handle: async (ask) => {
    const { id } = await named(ask.deps, ask.params);
    const isNew = await book(ask, id, 'credit', ask.body);
    return { account: present(ask.deps, await listed(ask.deps, id)), is_new: isNew };
  },
});

const adjustCall = operatorCall({
  method: 'post',
  path: '/operator/accounts/{account}/adjustments',
  id: 'adjustAccount',
  summary: 'Correct an account by a signed amount, never by more than it has; booked once, too',
  body: z.strictObject({ request: requestField, amount: signedAmountField, reason: reasonField }),
  answer: bookedAnswer,
  handle: async (ask) => {
    const { id } = await named(ask.deps, ask.params);
    const isNew = await book(ask, id, 'adjustment', ask.body);
    return { account: present(ask.deps, await listed(ask.deps, id)), is_new: isNew };
  },
});

const statusCall = (act: 'suspend' | 'resume', summary: string, change: typeof suspendAccount) =>
  operatorCall({
    method: 'post',
    path: `/operator/accounts/{account}/${act}`,
    id: `${act}Account`,
    summary,
    body: z.strictObject({ reason: reasonField }),
    answer: accountRecord,
    handle: async ({ deps, by, params, body: { reason } }) => {
      const { id } = await named(deps, params);
      await change(by, id, reason);
      return present(deps, await listed(deps, id));
    },
  });

export const operatorAccountCalls = [
  listAccounts,
  getListedAccount,
  createCall,
  changeCall,
  creditCall,
  adjustCall,
  statusCall('suspend', 'Refuse all keys of an account from now on', suspendAccount),
  statusCall('resume', 'Lift the suspension of an account', resumeAccount),
];

/** Books once by the form's own id; answers whether it was now. */
async function book(
  { deps, by }: Pick<PersonAsk<unknown, unknown>, 'deps' | 'by'>,
  account: AccountId,
  type: 'credit' | 'adjustment',
  { request, amount, reason }: { request: string; amount: Money; reason: string },
): Promise<boolean> {
  const { actor } = by;
  const { booked, available } = await deps.ledger.book({ account, type, amount, reason, actor, request });
  if (booked === 'otherwise') throw reused();
  if (booked === 'not') {
    const { currency } = deps.configuration;
    const text = `The account has only ${amountText(available)} ${currency} available; ${amountText(amount)} exceeds that.`;
    throw new GatewayError('insufficient_balance', text, { param: 'amount' });
  }
  return booked === 'now';
}

const accountForm = /^acc_[0-9a-f]{32}$/;

/** The account of the path. */
const named = (deps: ApiDependencies, { account = '' }: Readonly<Record<string, string>>): Promise<ListedAccount> =>
  listed(deps, accountForm.test(account) ? account : '');

/** The account with all that was booked of it. */
async function listed({ calls, database }: ApiDependencies, id: string): Promise<ListedAccount> {
  await calls.settled(id as AccountId);
  const account = await findListedAccount(database, id);
  if (!account) throw new GatewayError('route_not_found', 'Account not found.');
  return account;
}

const reused = (): GatewayError =>
  new GatewayError('idempotency_key_reused', 'This request id was already used with other values. Submit a new form.', {
    param: 'request',
  });

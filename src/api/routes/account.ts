/** The account that a key belongs to: its balance and its ledger (contract, section 3). */
import type Router from '@koa/router';
import * as z from 'zod';
import { GatewayError } from '../../domain/errors.ts';
import { entryTypes } from '../../domain/ledger.ts';
import { parseWith } from '../../domain/requests/parse.ts';
import { findAccount } from '../../storage/accounts.ts';
import { listEntries } from '../../storage/ledger/entries.ts';
import { keyOf, type RequestState } from '../context.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { authenticated } from '../middleware/authenticated.ts';
import { accountObject, entryObject } from '../presenters/account.ts';

const page_entries_max = 100;
const page_entries_default = 20;

export function accountRoutes(router: Router<RequestState>, deps: ApiDependencies): void {
  router.get('/account', authenticated(deps.keys, 'read'), async (ctx) => {
    const account = await findAccount(deps.database, keyOf(ctx).accountId);
    if (!account) throw new GatewayError('internal_error', 'The account is gone.');
    ctx.body = accountObject(account);
  });

  router.get('/account/ledger', authenticated(deps.keys, 'read'), async (ctx) => {
    const {
      limit,
      cursor: before,
      task_id: taskId,
      request_id: requestId,
      ...filter
    } = parseWith(ledgerQuery, { ...ctx.query });
    const page = { limit: limit + 1, before }; // one more than asked for tells whether there are more
    const found = await listEntries(deps.database, keyOf(ctx).accountId, { ...filter, taskId, requestId }, page);
    const data = found.slice(0, limit);
    const hasMore = found.length > limit;
    ctx.body = {
      object: 'list',
      data: data.map(entryObject),
      has_more: hasMore,
      next_cursor: hasMore ? (data.at(-1)?.seq.toString() ?? null) : null,
    };
  });
}

const limitRule = `must be a whole number from 1 to ${page_entries_max}`;
const moment = z.iso
  .datetime({ offset: true, error: 'must be a time in ISO 8601, such as 2026-11-21T08:00:00Z' })
  .transform((text) => new Date(text));
const idRule = 'must be one id of 1 to 128 letters, digits and . _ -';
const name = z.string(idRule).regex(/^[\w.-]{1,128}$/, idRule);

const ledgerQuery = z.object({
  limit: z
    .string(limitRule)
    .regex(/^\d{1,3}$/, limitRule)
    .transform(Number)
    .refine((count) => count >= 1 && count <= page_entries_max, limitRule)
    .default(page_entries_default),
  cursor: z
    .string('must be a next_cursor of this list')
    .regex(/^\d{1,18}$/, 'must be a next_cursor of this list')
    .transform(BigInt)
    .optional(),
  task_id: name.optional(),
  request_id: name.optional(),
  type: z.enum(entryTypes, `must be one of ${entryTypes.join(', ')}`).optional(),
  from: moment.optional(),
  to: moment.optional(),
});

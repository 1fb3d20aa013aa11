/** The account's requests, and the same as a file; and those of all accounts, for operators. */
import * as z from 'zod';
import { accountNames } from '../../../accounts/account-names.ts';
import { keyNames } from '../../../accounts/key-names.ts';
import type { AccountId } from '../../../domain/ids.ts';
import type { ListedRequest, RequestFilter } from '../../../request-records/read-requests.ts';
import { answerWholeCsv } from '../../lists/list-answer.ts';
import { listObject, type Page, readPage } from '../../lists/list-page.ts';
import { idFilter } from '../../lists/ledger-list.ts';
import { isRange, pageRowsDefault, rangeFault } from '../../lists/list-query.ts';
import { requestCsv, requestFilters, requestListing, requestQuery } from '../../lists/requests-list.ts';
import { requestFields, requestObject } from '../../presenters/requests.ts';
import { accountCall, operatorCall } from '../console-call.ts';
import { listOf } from '../list-record.ts';

/** Who served it: for operators only. */
const servedBy = {
  provider: z.string().nullable(),
  /** Where more than one route was asked, or one in vain. */
  attempts: z.array(
    z.strictObject({
      ...{ provider: z.string(), model: z.string(), ms: z.number() },
      /** Undefined: it answered. */
      fault: z.string().optional(),
    }),
  ),
};

const fields = { ...requestFields, key_name: z.string().nullable(), client: z.string().nullable() };
const record = z.strictObject({ ...fields, served_by: z.strictObject(servedBy).optional() });
const operatorRecord = z.strictObject({
  ...fields,
  served_by: z.strictObject(servedBy),
  account: z.strictObject({ id: z.string(), name: z.string().nullable() }),
});

const listRequestsCall = accountCall({
  method: 'get',
  path: '/accounts/{account}/requests',
  id: 'listRequests',
  summary: 'Requests of the account, newest first, refused ones too',
  needs: 'member',
  query: requestQuery,
  answer: listOf(record),
  handle: async ({ deps, account, person, query: { limit = pageRowsDefault, cursor, ...filters } }) => {
    const listing = await requestListing(deps, { ...filterOf(filters), account });
    const page = await readPage(listing, { limit, after: cursor });
    const names = await keyNames(deps.database, account, keysIn(page));
    return listObject(page, (request) => ({
      ...shown(request, names),
      ...(person.isOperator && { served_by: servedByOf(request) }),
    }));
  },
});

const requestsFile = accountCall({
  method: 'get',
  path: '/accounts/{account}/requests.csv',
  id: 'downloadRequests',
  summary: 'All of them as CSV, with the columns of the public API',
  needs: 'member',
  query: z.object(requestFilters).refine(isRange, rangeFault),
  answer: z.void(),
  media: 'text/csv',
  handle: async ({ ctx, deps, account, query }) => {
    const listing = await requestListing(deps, { ...filterOf(query), account });
    await answerWholeCsv(ctx, listing, requestCsv(deps.configuration.currency));
  },
});

const listAllRequests = operatorCall({
  method: 'get',
  path: '/operator/requests',
  id: 'listAllRequests',
  summary: 'Requests of all accounts, newest first',
  query: requestQuery.safeExtend({ account: idFilter, provider: idFilter }),
  answer: listOf(operatorRecord),
  handle: async ({ deps, query: { limit = pageRowsDefault, cursor, account, provider, ...filters } }) => {
    const filter = { ...filterOf(filters), account: account as AccountId | undefined, provider };
    const page = await readPage(await requestListing(deps, filter), { limit, after: cursor });
    const keys = await keyNames(deps.database, undefined, keysIn(page));
    const accounts = await accountNames(deps.database, [...new Set(page.rows.map(({ accountId }) => accountId))]);
    return listObject(page, (request) => ({
      ...shown(request, keys),
      served_by: servedByOf(request),
      account: { id: request.accountId, name: accounts.get(request.accountId) ?? null },
    }));
  },
});

export const requestCalls = [listRequestsCall, requestsFile];
export const operatorRequestCalls = [listAllRequests];

type Filters = z.output<z.ZodObject<typeof requestFilters>>;

const filterOf = ({ key_id: keyId, request_id: requestId, user: endUser, ...rest }: Filters): RequestFilter => ({
  ...rest,
  keyId,
  requestId,
  endUser,
});

const shown = (request: ListedRequest, keys: ReadonlyMap<string, string>) => ({
  ...requestObject(request),
  key_name: keys.get(request.keyId) ?? null,
  client: request.client,
});

const servedByOf = ({ provider, attempts }: ListedRequest) => ({ provider, attempts: attempts ?? [] });

const keysIn = ({ rows }: Page<ListedRequest>) => rows.map(({ keyId }) => keyId);

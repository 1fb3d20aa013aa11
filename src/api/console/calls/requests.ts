/** The account's requests, and the same as a file; and those of all accounts, for operators. */
import * as z from 'zod';
import { accountNames } from '../../../accounts/account-names.ts';
import { findAccount } from '../../../accounts/accounts.ts';
import { keyNames } from '../../../accounts/key-names.ts';
import { isoIn } from '../../../domain/time-zone.ts';
import type { AccountId } from '../../../domain/ids.ts';
import type { ListedRequest, RequestFilter, RequestPosition } from '../../../request-records/read-requests.ts';
import { bodyMark, recordedAmong } from '../../../bodies/stored-bodies.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { answerWholeCsv } from '../../lists/list-answer.ts';
import { type Listing, listObject, readPage } from '../../lists/list-page.ts';
import { idFilter } from '../../lists/ledger-list.ts';
import { isRange, pageRowsDefault, rangeFault } from '../../lists/list-query.ts';
import { requestCsv, requestFilters, requestListing, requestQuery } from '../../lists/requests-list.ts';
import { requestColumns, requestFields, requestObject } from '../../presenters/requests.ts';
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

const fields = {
  ...requestFields,
  key_name: z.string().nullable(),
  client: z.string().nullable(),
  has_body: z.boolean(),
};
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
    const listing = await namedListing(deps, { ...filterOf(filters), account });
    return listObject(await readPage(listing, { limit, after: cursor }), (request) => ({
      ...shown(request),
      ...(person.isOperator && { served_by: servedByOf(request) }),
    }));
  },
});

const requestsFile = accountCall({
  method: 'get',
  path: '/accounts/{account}/requests.csv',
  id: 'downloadRequests',
  summary: 'All of them as CSV, with the columns of the public API, and names of keys and clients',
  needs: 'member',
  query: z.object(requestFilters).refine(isRange, rangeFault),
  answer: z.void(),
  media: 'text/csv',
  handle: async ({ ctx, deps, account, query }) => {
    const listing = await namedListing(deps, { ...filterOf(query), account });
    const timeZone = (await findAccount(deps.database, account))?.timeZone ?? 'UTC';
    await answerWholeCsv(ctx, { ...listing, present: lineOf(timeZone) }, csvOf(deps, []));
  },
});

const operatorFilters = { account: idFilter, provider: idFilter };

const listAllRequests = operatorCall({
  method: 'get',
  path: '/operator/requests',
  id: 'listAllRequests',
  summary: 'Requests of all accounts, newest first',
  query: requestQuery.safeExtend(operatorFilters),
  answer: listOf(operatorRecord),
  handle: async ({ deps, query: { limit = pageRowsDefault, cursor, ...filters } }) => {
    const listing = await namedListing(deps, operatorFilterOf(filters));
    return listObject(await readPage(listing, { limit, after: cursor }), (request) => ({
      ...shown(request),
      served_by: servedByOf(request),
      account: { id: request.accountId, name: request.accountName },
    }));
  },
});

const allRequestsFile = operatorCall({
  method: 'get',
  path: '/operator/requests.csv',
  id: 'downloadAllRequests',
  summary: 'All of them as CSV, with their accounts and the provider that answered, or that was asked last',
  query: z.object({ ...requestFilters, ...operatorFilters }).refine(isRange, rangeFault),
  answer: z.void(),
  media: 'text/csv',
  handle: async ({ ctx, deps, query }) => {
    const listing = await namedListing(deps, operatorFilterOf(query));
    const present = (request: NamedRequest) => ({
      ...lineOf('UTC')(request),
      account_id: request.accountId,
      account_name: request.accountName,
      provider: request.provider,
    });
    await answerWholeCsv(ctx, { ...listing, present }, csvOf(deps, ['account_id', 'account_name', 'provider']));
  },
});

export const requestCalls = [listRequestsCall, requestsFile];
export const operatorRequestCalls = [listAllRequests, allRequestsFile];

type Filters = z.output<z.ZodObject<typeof requestFilters>>;
type OperatorFilters = Filters & z.output<z.ZodObject<typeof operatorFilters>>;

const filterOf = ({ key_id: keyId, request_id: requestId, user: endUser, ...rest }: Filters): RequestFilter => ({
  ...rest,
  keyId,
  requestId,
  endUser,
});

const operatorFilterOf = ({ account, provider, ...filters }: OperatorFilters): RequestFilter => ({
  ...filterOf(filters),
  account: account as AccountId | undefined,
  provider,
});

/** With what people call its key and its account; null for what is gone. */
interface NamedRequest extends ListedRequest {
  keyName: string | null;
  accountName: string | null;
  hasBody: boolean;
}

async function namedListing(
  deps: ApiDependencies,
  filter: RequestFilter,
): Promise<Listing<NamedRequest, RequestPosition>> {
  const { read, ...listing } = await requestListing(deps, filter);
  return {
    ...listing,
    read: async (page) => {
      const rows = await read(page);
      const keys = await keyNames(
        deps.database,
        filter.account,
        rows.map(({ keyId }) => keyId),
      );
      const recorded = await recordedAmong(deps.database, rows);
      const accounts = await accountNames(deps.database, [...new Set(rows.map(({ accountId }) => accountId))]);
      return rows.map((request) => ({
        ...request,
        keyName: keys.get(request.keyId) ?? null,
        accountName: accounts.get(request.accountId) ?? null,
        hasBody: recorded.has(bodyMark(request)),
      }));
    },
  };
}

const shown = (request: NamedRequest) => ({
  ...requestObject(request),
  key_name: request.keyName,
  client: request.client,
  has_body: request.hasBody,
});

/** Of a file, which people read: the time in words, too, by the clock of the zone. */
const lineOf = (timeZone: string) => (request: NamedRequest) => ({
  ...shown(request),
  time: isoIn(timeZone, request.createdAt),
});

const servedByOf = ({ provider, attempts }: ListedRequest) => ({ provider, attempts: attempts ?? [] });

const csvOf = ({ configuration }: ApiDependencies, more: readonly string[]) => ({
  ...requestCsv(configuration.currency),
  columns: ['time', ...requestColumns, 'key_name', 'client', ...more],
  isDownload: true,
});

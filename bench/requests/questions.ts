/** What the console asks of millions of requests and entries: each through the product's own function. */
import type { AccountId } from '../../src/domain/ids.ts';
import { findAccount } from '../../src/accounts/accounts.ts';
import { readSales } from '../../src/api/console/overview/sales.ts';
import { sumsOfLedger } from '../../src/ledger/transfers.ts';
import { stretchOf } from '../../src/ledger/sequence-range.ts';
import { type ChargeQuery, chargesOfAccount, chargesOfAll } from '../../src/ledger/usage-table.ts';
import type { Database } from '../../src/postgres/database.ts';
import { callOutcomes } from '../../src/request-records/call-outcomes.ts';
import { listRequests, type RequestFilter } from '../../src/request-records/read-requests.ts';
import { type RequestSumsQuery, sumRequests } from '../../src/request-records/request-sums.ts';
import { accountOf } from './rows.ts';

export interface Question {
  name: string;
  /** What is promised of it; undefined: nothing is. */
  msMax?: number;
  ask: (database: Database) => Promise<unknown>;
}

const dayMs = 86_400_000;
const promisedMs = 200;
const large = accountOf(1) as AccountId;
const small = accountOf(150) as AccountId;

/** About the third day before today, and the 30 days up to now. */
export function questionsAt(now: Date): Question[] {
  const today = Math.floor(now.getTime() / dayMs) * dayMs;
  const day = { from: new Date(today - 3 * dayMs), to: new Date(today - 2 * dayMs) };
  const month = { from: new Date(today - 29 * dayMs), to: now };
  return [...lists(day), ...sums('a day', day, promisedMs), ...sums('30 days', month, undefined), ...pages];
}

interface Range {
  from: Date;
  to: Date;
}

const filters: Record<string, RequestFilter> = {
  'no filter': {},
  errors: { status: { least: 400, below: 600 } },
  'a code': { code: 'upstream_error' },
  'a model': { model: 'model-7' },
  'a model that none has': { model: 'no-model' },
  'a code that none has': { code: 'no_code' },
  'a status that none has': { status: { least: 418, below: 419 } },
};
const ofAccount: Record<string, RequestFilter> = {
  ...filters,
  'a key': { keyId: 'key_1_3' },
  'a key that none has': { keyId: 'key_none' },
  'a user': { endUser: 'user-77' },
  'a user that none has': { endUser: 'no-user' },
  'a tag': { tag: 'tag-30' },
  'a tag and a status that none has': { tag: 'tag-30', status: { least: 418, below: 419 } },
};
const ofAll: Record<string, RequestFilter> = {
  ...filters,
  'a provider': { provider: 'provider-2' },
  'a provider that none has': { provider: 'provider-none' },
  'a key': { keyId: 'key_150_3' },
  'a user': { endUser: 'user-77' },
  'a user that none has': { endUser: 'no-user' },
  'a tag that none has': { tag: 'no-tag' },
  'a small account': { account: small },
};

function lists(day: Range): Question[] {
  const ask = (filter: RequestFilter) => (database: Database) =>
    listRequests(database, filter, { limit: 51, after: undefined });
  const named = (whose: string, all: Record<string, RequestFilter>, account?: AccountId) =>
    Object.entries(all).flatMap(([name, filter]): Question[] => [
      { name: `requests of ${whose}, a day, ${name}`, msMax: promisedMs, ask: ask({ account, ...filter, ...day }) },
    ]);
  return [
    { name: 'requests of an account, newest', msMax: promisedMs, ask: ask({ account: large }) },
    { name: 'requests of all, newest', msMax: promisedMs, ask: ask({}) },
    { name: 'requests of all, one id', msMax: promisedMs, ask: ask({ requestId: idOf(day.from) }) },
    { name: "requests of all, a caller's own id", msMax: promisedMs, ask: ask({ requestId: 'order-1' }) },
    {
      name: 'requests of an account, one id',
      msMax: promisedMs,
      ask: ask({ account: large, requestId: idOf(day.from) }),
    },
    ...named('an account', ofAccount, large),
    ...named('all', ofAll),
  ];
}

/** As the gateway would have made it in the middle of that day. */
const idOf = (day: Date): string =>
  `req_${(day.getTime() + dayMs / 2).toString(16).padStart(12, '0')}7${'0'.repeat(3)}8${'0'.repeat(15)}`;

const bounds = { groupsMax: 50, columnsMax: 6, timeZone: 'UTC' };

function sums(name: string, range: Range, msMax: number | undefined): Question[] {
  const charges = (query: Pick<ChargeQuery, 'group' | 'by'>): Question => ({
    name: `cost of an account, ${name}, ${titleOf(query)}`,
    ...(msMax !== undefined && { msMax }),
    ask: async (database) => {
      const { seq: newest = 0n } = (await findAccount(database, large)) ?? {};
      const stretch = await stretchOf(database, large, newest, range);
      return chargesOfAccount(database, large, stretch, { ...query, largestBy: 'revenue', ...bounds, ...range });
    },
  });
  const sales = (query: Pick<ChargeQuery, 'group' | 'by'>): Question => ({
    name: `revenue of all, ${name}, ${titleOf(query)}`,
    ...(msMax !== undefined && { msMax }),
    ask: (database) => chargesOfAll(database, { ...query, largestBy: 'revenue', ...bounds, ...range }),
  });
  const latencies = (query: Pick<RequestSumsQuery, 'group' | 'by' | 'account'>): Question => ({
    name: `errors and latency of ${query.account === undefined ? 'all' : 'an account'}, ${name}, ${titleOf(query)}`,
    ...(msMax !== undefined && { msMax }),
    ask: (database) => sumRequests(database, { ...query, largestBy: 'errors', ...bounds, ...range }),
  });
  return [
    ...[charges({ group: 'model' }), charges({ group: 'model', by: 'key' }), charges({ group: 'day', by: 'model' })],
    ...[charges({ group: 'user', by: 'model' }), charges({ group: 'tag', by: 'key' })],
    ...[sales({ group: 'account' }), sales({ group: 'account', by: 'model' }), sales({ group: 'user', by: 'model' })],
    ...[latencies({ group: 'model', by: 'key', account: large }), latencies({ group: 'user', account: large })],
    ...[latencies({ group: 'day', by: 'model', account: large }), latencies({ group: 'account', by: 'model' })],
  ];
}

const titleOf = ({ group, by }: { group: string; by?: string | undefined }) =>
  by === undefined ? `by ${group}` : `by ${group} and ${by}`;

const pages: Question[] = [
  { name: 'health: outcomes and latencies', ask: (database) => callOutcomes(database, ['upstream_error']) },
  { name: 'sales of 30 days (kept for a minute)', ask: (database) => readSales(database) },
  {
    name: 'ledger sums of an account',
    ask: async (database) => {
      const { seq: newest = 0n } = (await findAccount(database, large)) ?? {};
      return sumsOfLedger(database, large, newest, {});
    },
  },
];

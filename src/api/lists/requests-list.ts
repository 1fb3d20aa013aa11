/** Lists of requests, of the public API and the console's. */
import * as z from 'zod';
import type { ApiDependencies } from '../dependencies.ts';
import {
  type ListedRequest,
  listRequests,
  type RequestFilter,
  type RequestPosition,
} from '../../request-records/read-requests.ts';
import { requestColumns, requestObject, type RequestObject } from '../presenters/requests.ts';
import { isKeepable, withoutNul } from '../../domain/text.ts';
import { tagForm, tagRule } from '../request-tag.ts';
import type { CsvForm } from './list-answer.ts';
import { idFilter } from './ledger-list.ts';
import type { ShownListing } from './list-page.ts';
import { cursorRule, isRange, limit, modelFilter, rangeFault, timeRange } from './list-query.ts';

type Tools = Pick<ApiDependencies, 'calls' | 'database' | 'requests'>;

/**
 * The requests that pass the filter, newest first; a request appears when its answer is over. What this process has booked
 * of the account, or has written of all accounts, is there.
 */
export async function requestListing(
  { calls, database, requests }: Tools,
  filter: RequestFilter,
): Promise<ShownListing<ListedRequest, RequestPosition, RequestObject>> {
  if (filter.account !== undefined) await calls.settled(filter.account);
  await requests.written();
  return {
    read: (page) => listRequests(database, filter, page),
    positionOf: ({ createdAt, seq }) => ({ createdAt, seq }),
    cursorOf: ({ createdAt, seq }) => `${createdAt.getTime()}.${seq}`,
    present: requestObject,
  };
}

export const requestCsv = (currency: string): CsvForm => ({
  name: 'requests',
  columns: requestColumns,
  currency,
  pageRows: 500,
});

const statusRule = 'must be a status, such as 429, a class of them, such as 4xx, or error';
const status = z
  .string(statusRule)
  .regex(/^([1-5](\d\d|xx)|error)$/, statusRule)
  .transform((text) => {
    if (text === 'error') return { least: 400, below: 600 };
    const least = Number(text.replace('xx', '00'));
    return { least, below: least + (text.endsWith('xx') ? 100 : 1) };
  })
  .optional();

const codeRule = 'must be an error code: 1 to 128 letters, digits and . _ -';

const userRule = 'must be an end user: a string of 1 to 256 characters';

/** What a list of requests, or a file of all, may be cut down to. */
export const requestFilters = {
  ...timeRange,
  model: modelFilter,
  key_id: idFilter,
  status,
  code: z
    .string(codeRule)
    .regex(/^[\w.-]{1,128}$/, codeRule)
    .optional(),
  request_id: idFilter,
  user: z
    .string(userRule)
    .refine((user) => user !== '' && user.length <= 256 && isKeepable(user), userRule)
    .meta({ minLength: 1, maxLength: 256, pattern: withoutNul })
    .optional(),
  tag: z.string(tagRule).regex(tagForm, tagRule).optional(),
};

const cursorForm = /^(\d{1,14})\.(\d{1,18})$/;

const requestPage = {
  limit,
  cursor: z
    .string(cursorRule)
    .regex(cursorForm, cursorRule)
    .transform((cursor): RequestPosition => {
      const [, ms = '', seq = ''] = cursorForm.exec(cursor) ?? [];
      return { createdAt: new Date(Number(ms)), seq: BigInt(seq) };
    })
    .optional(),
};

export const requestQuery = z.object({ ...requestPage, ...requestFilters }).refine(isRange, rangeFault);

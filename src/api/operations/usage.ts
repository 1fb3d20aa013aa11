/** What the account used and paid, by day, model or key, in JSON or CSV. */
import { findAccount } from '../../accounts/accounts.ts';
import { keyOf } from '../context.ts';
import { answerList } from '../lists/list-answer.ts';
import { rangeIn } from '../lists/list-query.ts';
import { groupOfCursor, usageCsv, usageListing, usageQuery } from '../lists/usage-list.ts';
import { examplePage, one } from '../openapi/examples.ts';
import { listAnswer } from '../openapi/list-response.ts';
import { queryParameters } from '../openapi/queries.ts';
import { listOfRecords } from '../openapi/schemas.ts';
import { usageColumns, usageRecord } from '../presenters/usage.ts';
import { operation } from '../public-operation.ts';

const usage = {
  object: 'usage',
  day: '2026-01-01',
  calls: 7,
  input_tokens: 20,
  output_tokens: 60,
  images: 2,
  seconds: 5,
  tokens: 80,
  cost: 0.90078,
};
const csvExample = [usageColumns('day').join(), Object.values(usage).join(), ''].join('\r\n');

export const listUsageRows = operation({
  method: 'get',
  path: '/account/usage',
  id: 'listUsage',
  tag: 'Account',
  level: 'read',
  summary: 'Usage and cost by day, model or key',
  query: usageQuery,
  parameters: queryParameters(usageQuery, {
    group_by: 'How rows are grouped.',
    time_zone:
      'Of the days, those of `from` and `to` too: a name such as `Asia/Shanghai`, whatever the account has. UTC if absent.',
  }),
  answer: listOfRecords('UsagePage', usageRecord),
  responses: { 200: listAnswer(csvExample, () => one('By day', examplePage(usage))) },
  errors: ['invalid_parameter'],
  handle: async ({
    ctx,
    deps: { calls, configuration, database },
    query: { group_by: by, cursor, limit, time_zone: timeZone = 'UTC', ...written },
  }) => {
    const after = cursor === undefined ? undefined : groupOfCursor(by, cursor);
    const { accountId } = keyOf(ctx);
    await calls.settled(accountId);
    const upTo = (await findAccount(database, accountId))?.seq;
    const listing = usageListing(database, accountId, by, { ...rangeIn(timeZone, written), upTo, timeZone });
    return answerList(ctx, listing, { limit, cursor: after }, usageCsv(by, configuration.currency));
  },
});

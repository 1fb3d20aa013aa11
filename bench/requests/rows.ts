/** Millions of records of requests over 30 days, and the ledger entries of some of their calls: made by SQL, in minutes. */
import type pg from 'pg';
import { onDatabase } from '../ledger/databases.ts';

export const days = 30;
/** The first two have 50,000 requests a day, if all have a third of a million. */
export const accounts = 200;
const shareOfLarge = 0.15;
/** All calls of so many days of the first account are in the ledger; of all else one in seventeen. */
const ledgerDays = 10;
const atOnce = 2;

export const accountOf = (number: number): string => `acc_${number}`;

/** Writes about so many records, and one ledger entry for three of them. The links and seals are not signed. */
export async function writeRows(url: string, records: number, say: (line: string) => void): Promise<void> {
  await onDatabase(url, (client) => client.query(ownersText));
  let next = days - 1;
  const work = (client: pg.Client) => async () => {
    while (next >= 0) {
      const daysAgo = next--;
      await client.query('select setseed($1)', [daysAgo / 100]);
      for (const statement of dayTexts(daysAgo, Math.round(records / days))) await client.query(statement);
      say(`the records of ${daysAgo} days ago are written`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, () => onDatabase(url, (client) => work(client)())));
  await onDatabase(url, async (client) => {
    for (const statement of ledgerTexts) await client.query(statement);
    await client.query('vacuum (analyze)');
    await client.query('checkpoint');
  });
}

const ownersText = `
  insert into accounts (id, name, available, chain)
  select 'acc_' || n, 'customer ' || n, 1000000000000, decode(repeat('00', 32), 'hex') from generate_series(1, ${accounts}) as n;
  insert into api_keys (id, account_id, name, level, hash, start, last4, seal)
  select 'key_' || n || '_' || k, 'acc_' || n, 'key ' || k, 'standard', sha256(('key_' || n || '_' || k)::bytea), 'sk-', 'last', ''
  from generate_series(1, ${accounts}) as n, generate_series(0, 3) as k`;

/** A day is filled as a table of its own and then made a partition, which makes its indexes at once. */
function dayTexts(daysAgo: number, count: number): string[] {
  const start = `(date_trunc('day', now(), 'UTC') - interval '${daysAgo} days')`;
  const name = `to_char(${start} at time zone 'UTC', '"requests_"YYYY_MM_DD')`;
  const table = `bench_day_${daysAgo}`;
  return [
    `create table ${table} (like requests including defaults)`,
    `insert into ${table} (created_at, account_id, key_id, request_id, method, path, model, status, code, latency_ms, first_token_ms,
        is_stream, provider, attempts, input_tokens, cached_input_tokens, output_tokens, cost, end_user, tag, client)
      select at, 'acc_' || account, 'key_' || account || '_' || key, 'req_' || lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(random, 1, 3) || '8' || substr(random, 4, 15), 'POST', '/v1/chat/completions',
        'model-' || model, status, case when status >= 400 then (array['rate_limit_exceeded', 'upstream_error', 'invalid_request'])[1 + status % 3] end,
        latency, case when is_stream then latency / 4 end, is_stream, 'provider-' || model % 3,
        case when retried < 0.01 then '[{"provider":"provider-9","model":"upstream","ms":120,"fault":"It answered 500.","code":"upstream_error"},{"provider":"provider-1","model":"upstream","ms":700}]'::jsonb end,
        input, input / 3, output, input * (model + 1) + output * 4,
        case when account % 2 = 1 and marked < 0.4 then 'user-' || floor(marked * marked * 20000) end,
        case when account % 3 = 1 and marked > 0.6 then 'tag-' || floor(marked * 40) end, 'openai-python 2.1.0'
      from (
        select ${start} + n * interval '${86_400 / count} seconds' as at,
          case when r < ${shareOfLarge} then 1 when r < ${2 * shareOfLarge} then 2 else 3 + floor(power(random(), 2) * ${accounts - 2})::int end as account,
          floor(power(random(), 2) * 4)::int as key, floor(power(random(), 2) * 8)::int as model,
          case when failed < 0.01 then 429 when failed < 0.02 then 502 when failed < 0.03 then 400 else 200 end as status,
          (200 * exp(1.2 * (random() + random() + random())))::int as latency, random() < 0.6 as is_stream,
          random() as retried, random() as marked, md5(n::text) as random, (random() * 4000)::int as input, (random() * 1500)::int as output
        from (select n, random() as r, random() as failed from generate_series(0, ${count - 1}) as n) as numbers
      ) as made
      where at < now()`,
    `do $$ begin
      execute format('drop table if exists %I', ${name});
      execute format('alter table ${table} rename to %I', ${name});
      execute format('alter table requests attach partition %I for values from (%L) to (%L)', ${name}, ${start}, ${start} + interval '1 day');
    end $$`,
  ];
}

const lines = (units: string) => `jsonb_build_array(
  jsonb_build_object('unit', 'input_token', 'units', input - cached, 'pricePerMillion', '2000000', 'amount', (charged / 2)::text),
  jsonb_build_object('unit', 'cached_input_token', 'units', cached, 'pricePerMillion', '500000', 'amount', '0'),
  jsonb_build_object('unit', 'output_token', 'units', ${units}, 'pricePerMillion', '8000000', 'amount', (charged - charged / 2)::text))`;

/** A hold of each call, then its capture and its release; numbered and written in the order of their times. */
const ledgerTexts = [
  `set work_mem = '512MB'`,
  // Months that the product made no partition for any more.
  `do $$
    declare first timestamptz := date_trunc('month', now() - interval '${days} days', 'UTC');
    declare past timestamptz := date_trunc('month', now(), 'UTC');
    begin
      if first < past then
        execute format('create table bench_month_before partition of entries for values from (%L) to (%L)',
          tollgate_uuid_floor(first), tollgate_uuid_floor(past));
      end if;
    end $$`,
  `insert into entries (transfer_id, type, account_id, seq, created_at, d_available, d_held, d_revenue, d_top_ups, d_adjustments,
      d_write_offs, available_after, held_after, key_id, request_id, model, units, unit, lines, price_version, usage_source, provider, cost, vendor)
    select transfer, type, account_id, row_number() over (partition by account_id order by written, transfer, type <> 'hold', type),
      written, available, held, revenue, 0, 0, 0, 1000000000000, 1000000, key_id, request_id, model, input + output, 'token', lines,
      'bench', source, provider, cost, vendor
    from (
      select *, (lpad(to_hex((extract(epoch from created_at) * 1000)::bigint), 12, '0') || '7' || substr(md5(request_id), 1, 3)
          || '8' || substr(md5(request_id), 4, 15))::uuid as transfer
      from (
        select created_at, created_at + latency_ms * interval '1 millisecond' as ended, account_id, key_id, request_id, model, input_tokens as input,
          cached_input_tokens as cached, output_tokens as output, requests.cost as charged, provider as served_by
        from requests
        where status < 400 and (account_id = 'acc_1' and created_at >= date_trunc('day', now(), 'UTC') - interval '${ledgerDays - 1} days'
          or account_id <> 'acc_1' and hashtext(request_id) % 17 = 0)
      ) as calls
    ) as c cross join lateral (values
      ('hold', created_at, -charged * 2, charged * 2, 0::bigint, ${lines('4096')}, null, null, null::bigint, null),
      ('capture', ended, 0, -charged, charged, ${lines('output')}, 'upstream', served_by, charged / 2,
        '{"id":"chatcmpl-' || request_id || '","model":"upstream","form":"chat","usage":{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100}}'),
      ('release', ended, charged, -charged, 0, null::jsonb, null, null, null, null)
    ) as e (type, written, available, held, revenue, lines, source, provider, cost, vendor)
    order by written, transfer, type <> 'hold', type`,
  `update accounts a set seq = (select count(*) from entries e where e.account_id = a.id)`,
];

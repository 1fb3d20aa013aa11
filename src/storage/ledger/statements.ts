/** The statements that write what a group decided. Rows come as JSON; each guards itself, and a guard that fails rolls all back. */

// One statement for all the money. The holds are named by arrays and not by a join: a join is planned as a scan of every
// partition (6 ms at 15,000 holds, growing), an array as one look-up each in the partition that it prunes to. A hold that was closed already makes the count differ, and the division by zero
// rolls the group back: `holds … and state = 'held'` is the guard that nothing is captured twice.
export const writeMoney = {
  name: 'write-money',
  text: `with
    account_rows as (
      update accounts a set available = r.available, held = r.held, in_arrears = r.in_arrears, seq = r.seq, chain = decode(r.chain, 'hex')
      from jsonb_to_recordset($1::jsonb) as r(id text, available bigint, held bigint, in_arrears boolean, seq bigint, chain text)
      where a.id = r.id
    ),
    key_rows as (
      update api_keys k set counted_at = r.counted_at, running_tasks = r.running_tasks, last_used_at = $6,
        calls_minute = r.calls_minute, calls_hour = r.calls_hour, calls_day = r.calls_day,
        calls_month = r.calls_month, calls_total = r.calls_total,
        spent_minute = r.spent_minute, spent_hour = r.spent_hour, spent_day = r.spent_day,
        spent_month = r.spent_month, spent_total = r.spent_total
      from jsonb_to_recordset($2::jsonb) as r(id text, counted_at timestamptz, running_tasks integer,
        calls_minute bigint, calls_hour bigint, calls_day bigint, calls_month bigint, calls_total bigint,
        spent_minute bigint, spent_hour bigint, spent_day bigint, spent_month bigint, spent_total bigint)
      where k.id = r.id
    ),
    new_holds as (
      insert into holds (transfer_id, account_id, key_id, subject, amount, owner, created_at)
      select * from jsonb_to_recordset($3::jsonb)
        as r(transfer_id uuid, account_id text, key_id text, subject text, amount bigint, owner uuid, created_at timestamptz)
    ),
    closed_holds as (
      update holds set state = case when transfer_id = any($4::uuid[]) then 'captured' else 'released' end
      where transfer_id = any($4::uuid[] || $7::uuid[]) and state = 'held' returning 1
    ),
    new_entries as (
      insert into entries (transfer_id, type, account_id, seq, created_at, d_available, d_held, d_revenue, d_top_ups,
        d_adjustments, d_write_offs, available_after, held_after, key_id, task_id, request_id, model, units, unit, unit_price,
        lines, price_version, usage_source, reason, link)
      select transfer_id, type, account_id, seq, created_at, d_available, d_held, d_revenue, d_top_ups,
        d_adjustments, d_write_offs, available_after, held_after, key_id, task_id, request_id, model, units, unit, unit_price,
        lines, price_version, usage_source, reason, decode(link, 'hex')
      from jsonb_to_recordset($5::jsonb)
        as r(transfer_id uuid, type text, account_id text, seq bigint, created_at timestamptz, d_available bigint, d_held bigint,
          d_revenue bigint, d_top_ups bigint, d_adjustments bigint, d_write_offs bigint, available_after bigint, held_after bigint,
          key_id text, task_id text, request_id text, model text, units numeric, unit text, unit_price bigint,
          lines jsonb, price_version text, usage_source text, reason text, link text)
    )
    select 1 / (case when (select count(*) from closed_holds) = cardinality($4::uuid[]) + cardinality($7::uuid[]) then 1 else 0 end)`,
};

export const insertTasks = {
  name: 'insert-tasks',
  text: `insert into tasks (id, kind, account_id, key_id, request_id, model, request, uploads, terms, transfer_id, hold_amount, created_at)
    select * from jsonb_to_recordset($1::jsonb) as r(id text, kind text, account_id text, key_id text, request_id text, model text,
      request jsonb, uploads jsonb, terms jsonb, transfer_id uuid, hold_amount bigint, created_at timestamptz)`,
};

// A task's end is decided here and nowhere else.
export const endTasks = {
  name: 'end-tasks',
  text: `with ended as (
      update tasks t set state = r.state, finished_at = r.finished_at, balance_after = r.balance_after, cost = r.cost,
        duration_ms = r.duration_ms, files = r.files, error_code = r.error_code, error_message = r.error_message,
        error_param = r.error_param, cancel_pending = (r.state = 'cancelled')
      from jsonb_to_recordset($1::jsonb) as r(id text, state text, finished_at timestamptz, balance_after bigint, cost bigint,
        duration_ms bigint, files jsonb, error_code text, error_message text, error_param text)
      where t.id = r.id and t.state not in ('succeeded', 'failed', 'cancelled') returning 1
    )
    select 1 / (case when (select count(*) from ended) = $2::integer then 1 else 0 end)`,
};

// A key older than 24 hours is free again.
export const bindKeys = {
  name: 'bind-idempotency-keys',
  text: `with bound as (
      insert into idempotency_keys as i (account_id, key, body_hash, state, task_id, transfer_id, owner, created_at)
      select account_id, key, decode(body_hash, 'hex'), state, task_id, transfer_id, owner, $2
      from jsonb_to_recordset($1::jsonb)
        as r(account_id text, key text, body_hash text, state text, task_id text, transfer_id uuid, owner uuid)
      on conflict (account_id, key) do update set body_hash = excluded.body_hash, state = excluded.state,
        task_id = excluded.task_id, transfer_id = excluded.transfer_id, owner = excluded.owner, answer = null,
        created_at = excluded.created_at
      where i.created_at <= $2::timestamptz - interval '24 hours' returning 1
    )
    select 1 / (case when (select count(*) from bound) = $3::integer then 1 else 0 end)`,
};

// A call's key ends with its answer stored, or is free again.
export const closeKeys = {
  name: 'close-idempotency-keys',
  text: `with wanted as (select * from jsonb_to_recordset($1::jsonb) as r(transfer_id uuid, answer text)),
    freed as (delete from idempotency_keys i using wanted w where i.transfer_id = w.transfer_id and w.answer is null)
    update idempotency_keys i set state = 'done', answer = w.answer from wanted w
    where i.transfer_id = w.transfer_id and w.answer is not null`,
};

/** The statements that write tasks and idempotency keys. Rows come as JSON; each guards itself, and a guard that fails rolls all back. */

export const insertTasks = {
  name: 'insert-tasks',
  text: `insert into tasks (id, kind, account_id, key_id, request_id, model, request, uploads, terms, transfer_id, hold_amount, created_at,
      request_digest, seal, queued)
    select id, kind, account_id, key_id, request_id, model, request, uploads, terms, transfer_id, hold_amount, created_at,
      decode(request_digest, 'hex'), decode(seal, 'hex'), coalesce(queued, false)
    from jsonb_to_recordset($1::jsonb) as r(id text, kind text, account_id text, key_id text, request_id text, model text,
      request jsonb, uploads jsonb, terms jsonb, transfer_id uuid, hold_amount bigint, created_at timestamptz,
      request_digest text, seal text, queued boolean)`,
};

// A task's end is decided here and nowhere else. One alone is given to the planner as a value, so that no other partition
// than its own is opened: that costs more than the rest.
export const endTasks = (count: number): { name: string; text: string } => (count === 1 ? endOne : endMany);
const endOne = { name: 'end-task', text: endText(`and t.id = $1::jsonb -> 0 ->> 'id'`) };
const endMany = { name: 'end-tasks', text: endText('') };
function endText(where: string): string {
  return `with ended as (
      update tasks t set state = r.state, finished_at = r.finished_at, balance_after = r.balance_after, cost = r.cost,
        duration_ms = r.duration_ms, files = r.files, error_code = r.error_code, error_message = r.error_message,
        error_param = r.error_param, error_retry_after = r.error_retry_after, error_digest = decode(r.error_digest, 'hex'),
        failure = null, cancel_pending = (r.state = 'cancelled'),
        end_seal = decode(r.end_seal, 'hex')
      from jsonb_to_recordset($1::jsonb) as r(id text, state text, finished_at timestamptz, balance_after bigint, cost bigint,
        duration_ms bigint, files jsonb, error_code text, error_message text, error_param text,
        error_retry_after integer, error_digest text, end_seal text)
      where t.id = r.id ${where} and t.state not in ('succeeded', 'failed', 'cancelled') returning 1
    )
    select tollgate_require((select count(*) from ended) = $2::integer, 'task_ended')`;
}

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
    select tollgate_require((select count(*) from bound) = $3::integer, 'idempotency_key_bound')`,
};

// A call's key ends with its answer stored, or is free again.
export const closeKeys = {
  name: 'close-idempotency-keys',
  text: `with wanted as (select * from jsonb_to_recordset($1::jsonb) as r(transfer_id uuid, answer text)),
    freed as (delete from idempotency_keys i using wanted w where i.transfer_id = w.transfer_id and w.answer is null)
    update idempotency_keys i set state = 'done', answer = w.answer from wanted w
    where i.transfer_id = w.transfer_id and w.answer is not null`,
};

export const insertEvents = {
  name: 'insert-events',
  text: `insert into events (id, account_id, type, url, data, task_id, created_at)
    select * from jsonb_to_recordset($1::jsonb)
      as r(id text, account_id text, type text, url text, data jsonb, task_id text, created_at timestamptz)`,
};

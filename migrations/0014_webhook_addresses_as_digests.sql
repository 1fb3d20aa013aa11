-- Addresses of webhooks often hold a token, and the log keeps what it says for good: it has their digest.
CREATE FUNCTION tollgate_address_digest(address text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT 'sha256:' || encode(sha256(convert_to(address, 'UTF8')), 'hex')
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION tollgate_account_facts(a accounts) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_build_object('id', a.id, 'name', a.name, 'status', a.status, 'created_at', tollgate_moment(a.created_at),
    'webhook_url', tollgate_address_digest(a.webhook_url), 'low_balance', a.low_balance::text)
$$;

CREATE TABLE "key_uses" (
	"key_id" text PRIMARY KEY NOT NULL,
	"last_used_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_secrets" (
	"account_id" text NOT NULL,
	"salt" "bytea" NOT NULL,
	"secret_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"retires_at" timestamp with time zone,
	CONSTRAINT "webhook_secrets_account_id_salt_pk" PRIMARY KEY("account_id","salt")
);
--> statement-breakpoint
CREATE TABLE "acts" (
	"seq" bigint PRIMARY KEY NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"actor" text NOT NULL,
	"action" text NOT NULL,
	"account_id" text,
	"subject" text,
	"facts" jsonb,
	"details" jsonb,
	"reason" text,
	"link" "bytea" NOT NULL,
	CONSTRAINT "acts_link_length" CHECK (octet_length("acts"."link") = 32)
);
--> statement-breakpoint
CREATE TABLE "audits" (
	"id" uuid PRIMARY KEY NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"finished_at" timestamp with time zone NOT NULL,
	"since" timestamp with time zone,
	"agrees" boolean NOT NULL,
	"report" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "chains" (
	"name" text PRIMARY KEY NOT NULL,
	"seq" bigint NOT NULL,
	"head" "bytea" NOT NULL,
	"begun_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "deliveries" (
	"event_id" text NOT NULL,
	"attempt" integer NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"duration_ms" integer NOT NULL,
	"status" integer,
	"fault" text,
	CONSTRAINT "deliveries_event_id_attempt_pk" PRIMARY KEY("event_id","attempt")
);
--> statement-breakpoint
CREATE TABLE "events" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"type" text NOT NULL,
	"url" text NOT NULL,
	"data" jsonb NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"started_at" timestamp with time zone,
	"seen_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	"delivered" boolean,
	CONSTRAINT "events_end" CHECK (("events"."ended_at" is null) = ("events"."delivered" is null))
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "webhook_url" text;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "low_balance" bigint;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "is_low" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "request_digest" "bytea";--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "seal" "bytea";--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "end_seal" "bytea";--> statement-breakpoint
ALTER TABLE "key_uses" ADD CONSTRAINT "key_uses_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_secrets" ADD CONSTRAINT "webhook_secrets_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_event_id_events_id_fk" FOREIGN KEY ("event_id") REFERENCES "public"."events"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "events" ADD CONSTRAINT "events_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_secrets_current" ON "webhook_secrets" USING btree ("account_id") WHERE retires_at is null;--> statement-breakpoint
CREATE INDEX "acts_of_subject" ON "acts" USING btree ("subject","seq");--> statement-breakpoint
CREATE INDEX "acts_of_account" ON "acts" USING btree ("account_id","seq");--> statement-breakpoint
CREATE INDEX "audits_order" ON "audits" USING btree ("finished_at");--> statement-breakpoint
CREATE INDEX "events_to_start" ON "events" USING btree ("created_at") WHERE started_at is null;--> statement-breakpoint
CREATE INDEX "events_under_way" ON "events" USING btree ("started_at") WHERE started_at is not null and ended_at is null;--> statement-breakpoint
CREATE INDEX "events_of_account" ON "events" USING btree ("account_id","created_at");--> statement-breakpoint
INSERT INTO "key_uses" SELECT "id", "last_used_at" FROM "api_keys" WHERE "last_used_at" IS NOT NULL;--> statement-breakpoint
ALTER TABLE "api_keys" DROP COLUMN "last_used_at";--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_low_balance" CHECK ("accounts"."low_balance" > 0);--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_is_low" CHECK ("accounts"."low_balance" is not null or not "accounts"."is_low");--> statement-breakpoint
-- By hand, from here. The log of acts is append-only, as the ledger is, and its head is never deleted.
CREATE TRIGGER acts_append_only BEFORE UPDATE OR DELETE ON acts
  FOR EACH ROW EXECUTE FUNCTION tollgate_refuse_change();
--> statement-breakpoint
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON acts FOR EACH STATEMENT EXECUTE FUNCTION tollgate_refuse_change();
--> statement-breakpoint
CREATE TRIGGER chains_keep BEFORE DELETE ON chains FOR EACH ROW EXECUTE FUNCTION tollgate_refuse_change();
--> statement-breakpoint
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON chains FOR EACH STATEMENT EXECUTE FUNCTION tollgate_refuse_change();
--> statement-breakpoint
-- All that people set of an account or key, as an act keeps it: written by the transaction that changes the row, and
-- compared with the row by the audit. Moments are in UTC to the microsecond, whatever the session's time zone.
CREATE FUNCTION tollgate_moment(moment timestamptz) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
$$;
--> statement-breakpoint
CREATE FUNCTION tollgate_account_facts(a accounts) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_build_object('id', a.id, 'name', a.name, 'status', a.status, 'created_at', tollgate_moment(a.created_at),
    'webhook_url', a.webhook_url, 'low_balance', a.low_balance::text)
$$;
--> statement-breakpoint
CREATE FUNCTION tollgate_key_facts(k api_keys) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_build_object('id', k.id, 'account_id', k.account_id, 'name', k.name, 'level', k.level,
    'hash', encode(k.hash, 'hex'), 'start', k.start, 'last4', k.last4, 'models', to_jsonb(k.models),
    'call_limits', k.call_limits, 'spend_limit', k.spend_limit, 'max_running_tasks', k.max_running_tasks,
    'expires_at', tollgate_moment(k.expires_at), 'revoked_at', tollgate_moment(k.revoked_at),
    'created_at', tollgate_moment(k.created_at))
$$;
--> statement-breakpoint
-- A closed hold has no owner any more, so that one that has was not closed by the ledger.
DROP TRIGGER holds_close_once ON holds;
--> statement-breakpoint
UPDATE holds SET owner = NULL WHERE state <> 'held' AND owner IS NOT NULL;
--> statement-breakpoint
CREATE TRIGGER holds_close_once BEFORE UPDATE ON holds FOR EACH ROW
  WHEN (OLD.state <> 'held' OR NEW.amount <> OLD.amount OR NEW.account_id <> OLD.account_id OR NEW.key_id <> OLD.key_id
    OR NEW.subject <> OLD.subject OR NEW.transfer_id <> OLD.transfer_id)
  EXECUTE FUNCTION tollgate_guard_hold();

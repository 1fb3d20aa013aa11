ALTER TABLE "intents" ADD COLUMN "busy_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "intents" ADD COLUMN "busy_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "intents" ADD COLUMN "first_created_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "error_retry_after" integer;--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "error_digest" "bytea";--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "failure" jsonb;--> statement-breakpoint
CREATE INDEX "intents_error_messages" ON "intents" USING btree ("closed_at") WHERE error ? 'message';--> statement-breakpoint
CREATE INDEX "tasks_error_messages" ON "tasks" USING btree ("finished_at") WHERE error_message is not null and error_digest is not null;--> statement-breakpoint
ALTER TABLE "intents" ADD CONSTRAINT "intents_busy_was_refused" CHECK ("intents"."busy_until" is null or "intents"."outcome" = 'refused');
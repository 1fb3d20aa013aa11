CREATE TABLE "provider_jobs" (
	"provider" text NOT NULL,
	"task_id" text NOT NULL,
	CONSTRAINT "provider_jobs_provider_task_id_pk" PRIMARY KEY("provider","task_id")
);
--> statement-breakpoint
CREATE TABLE "provider_rates" (
	"provider" text PRIMARY KEY NOT NULL,
	"next_slot_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "intents" ADD COLUMN "upstream_request_id" text;--> statement-breakpoint
ALTER TABLE "intents" ADD COLUMN "reason" text;--> statement-breakpoint
ALTER TABLE "provider_jobs" ADD CONSTRAINT "provider_jobs_task_id_tasks_id_fk" FOREIGN KEY ("task_id") REFERENCES "public"."tasks"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "intents_unknown" ON "intents" USING btree ("created_at") WHERE outcome = 'unknown';
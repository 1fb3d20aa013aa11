ALTER TABLE "events" ALTER COLUMN "data" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "events" ADD COLUMN "task_id" text;--> statement-breakpoint
ALTER TABLE "events" ADD CONSTRAINT "events_task_id_tasks_id_fk" FOREIGN KEY ("task_id") REFERENCES "public"."tasks"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "events_of_task" ON "events" USING btree ("task_id") WHERE task_id is not null;--> statement-breakpoint
CREATE INDEX "tasks_to_remove" ON "tasks" USING btree ("kind","finished_at") WHERE removed_at is null and finished_at is not null;--> statement-breakpoint
ALTER TABLE "events" ADD CONSTRAINT "events_tell_something" CHECK (("events"."data" is null) = ("events"."task_id" is not null));
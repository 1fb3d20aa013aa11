CREATE INDEX "tasks_of_key" ON "tasks" USING btree ("key_id","created_at");--> statement-breakpoint
CREATE INDEX "tasks_of_kind" ON "tasks" USING btree ("account_id","kind","created_at");--> statement-breakpoint
CREATE INDEX "tasks_of_model" ON "tasks" USING btree ("account_id","model","created_at");--> statement-breakpoint
CREATE INDEX "tasks_with_error" ON "tasks" USING btree ("account_id","created_at") WHERE error_code is not null;--> statement-breakpoint
CREATE INDEX "tasks_removed" ON "tasks" USING btree ("account_id","created_at") WHERE removed_at is not null and error_code is null;
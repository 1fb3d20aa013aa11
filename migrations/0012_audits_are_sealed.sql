ALTER TABLE "audits" ADD COLUMN "anchor" jsonb;--> statement-breakpoint
ALTER TABLE "audits" ADD COLUMN "seal" "bytea";
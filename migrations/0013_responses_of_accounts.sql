-- An upstream may give an id twice: each account has a row of its own.
ALTER TABLE "responses" DROP CONSTRAINT "responses_pkey";--> statement-breakpoint
ALTER TABLE "responses" ADD CONSTRAINT "responses_id_account_id_pk" PRIMARY KEY("id","account_id");

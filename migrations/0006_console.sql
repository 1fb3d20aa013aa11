CREATE TABLE "invitations" (
	"id" text PRIMARY KEY NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"email" text NOT NULL,
	"account_id" text,
	"role" text,
	"makes_operator" boolean DEFAULT false NOT NULL,
	"invited_by" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"closed_at" timestamp with time zone,
	"is_used" boolean DEFAULT false NOT NULL,
	CONSTRAINT "invitations_role" CHECK (("invitations"."account_id" is null) = ("invitations"."role" is null)),
	CONSTRAINT "invitations_email_form" CHECK ("invitations"."email" = lower("invitations"."email") and char_length("invitations"."email") <= 255),
	CONSTRAINT "invitations_use" CHECK ("invitations"."closed_at" is not null or not "invitations"."is_used")
);
--> statement-breakpoint
CREATE TABLE "memberships" (
	"person_id" text NOT NULL,
	"account_id" text NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "memberships_person_id_account_id_pk" PRIMARY KEY("person_id","account_id"),
	CONSTRAINT "memberships_role" CHECK (role in ('owner', 'member'))
);
--> statement-breakpoint
CREATE TABLE "model_switches" (
	"model" text PRIMARY KEY NOT NULL,
	"published" boolean,
	"maintenance" boolean,
	"set_by" text NOT NULL,
	"set_at" timestamp with time zone NOT NULL,
	CONSTRAINT "model_switches_say_something" CHECK ("model_switches"."published" is not null or "model_switches"."maintenance" is not null)
);
--> statement-breakpoint
CREATE TABLE "people" (
	"id" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"password_hash" text NOT NULL,
	"is_operator" boolean DEFAULT false NOT NULL,
	"disabled_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "people_id_form" CHECK ("people"."id" ~ '^usr_'),
	CONSTRAINT "people_email_form" CHECK ("people"."email" = lower("people"."email") and char_length("people"."email") <= 255)
);
--> statement-breakpoint
CREATE TABLE "playground_keys" (
	"account_id" text PRIMARY KEY NOT NULL,
	"key_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "reviews" (
	"task_id" text NOT NULL,
	"route" integer NOT NULL,
	"reviewed_by" text NOT NULL,
	"reviewed_at" timestamp with time zone NOT NULL,
	"note" text NOT NULL,
	CONSTRAINT "reviews_task_id_route_pk" PRIMARY KEY("task_id","route"),
	CONSTRAINT "reviews_note" CHECK (char_length("reviews"."note") between 1 and 500)
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"person_id" text NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"user_agent" text NOT NULL,
	"address" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"seen_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "playground_keys" ADD CONSTRAINT "playground_keys_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "playground_keys" ADD CONSTRAINT "playground_keys_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reviews" ADD CONSTRAINT "reviews_intent" FOREIGN KEY ("task_id","route") REFERENCES "public"."intents"("task_id","route") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_token" ON "invitations" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "invitations_order" ON "invitations" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "memberships_of_account" ON "memberships" USING btree ("account_id");--> statement-breakpoint
CREATE UNIQUE INDEX "people_email" ON "people" USING btree ("email");--> statement-breakpoint
CREATE UNIQUE INDEX "sessions_token" ON "sessions" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "sessions_of_person" ON "sessions" USING btree ("person_id");--> statement-breakpoint
CREATE INDEX "sessions_age" ON "sessions" USING btree ("expires_at");
ALTER TABLE "api_keys" ADD COLUMN "seal" "bytea";
--> statement-breakpoint
ALTER TABLE "invitations" ADD COLUMN "seal" "bytea";
--> statement-breakpoint
ALTER TABLE "memberships" ADD COLUMN "seal" "bytea";
--> statement-breakpoint
ALTER TABLE "people" ADD COLUMN "password_seal" "bytea";
--> statement-breakpoint
ALTER TABLE "people" ADD COLUMN "operator_seal" "bytea";
--> statement-breakpoint
-- Kept as plain hashes, sessions and open links could be anybody's: people sign in again, and links are sent again. Keys
-- stay good: the first process that starts turns their hashes into keyed ones, once.
DELETE FROM "sessions";
--> statement-breakpoint
UPDATE "invitations" SET "closed_at" = now() WHERE "closed_at" IS NULL;
--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "seal" "bytea" NOT NULL;
--> statement-breakpoint
-- What is set of a person, as the log of administrative acts keeps it; of the password only a digest of its hash.
CREATE FUNCTION tollgate_person_facts(p people) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('id', p.id, 'email', p.email, 'is_operator', p.is_operator,
    'disabled_at', tollgate_moment(p.disabled_at), 'created_at', tollgate_moment(p.created_at),
    'password_digest', encode(sha256(convert_to(p.password_hash, 'UTF8')), 'hex'),
    'memberships', (SELECT coalesce(jsonb_object_agg(m.account_id,
        jsonb_build_object('role', m.role, 'since', tollgate_moment(m.created_at))), '{}')
      FROM memberships m WHERE m.person_id = p.id))
$$;

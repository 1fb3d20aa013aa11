-- Who may use the account console, how they came in, and what operators decided there.

-- People who sign in. One who was invited and never came has no row yet.
CREATE TABLE people (
  id text PRIMARY KEY,
  -- In lower case.
  email text NOT NULL,
  -- Argon2id, in its own encoded form.
  password_hash text NOT NULL,
  is_operator boolean NOT NULL DEFAULT false,
  -- From then on they can't sign in.
  disabled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Keyed hash over id and password hash: another password can't be written into the row.
  password_seal bytea NOT NULL,
  -- Keyed hash over id and address. Only operators have one.
  operator_seal bytea,
  CONSTRAINT people_id_form CHECK (id ~ '^usr_'),
  CONSTRAINT people_email_form CHECK (email = lower(email) AND char_length(email) <= 255)
);

CREATE UNIQUE INDEX people_email ON people (email);

-- What a person may do with an account.
CREATE TABLE memberships (
  person_id text NOT NULL CONSTRAINT memberships_person_id_people_id_fk REFERENCES people,
  account_id text NOT NULL CONSTRAINT memberships_account_id_accounts_id_fk REFERENCES accounts,
  role text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Keyed hash over person, account and role.
  seal bytea NOT NULL,
  CONSTRAINT memberships_person_id_account_id_pk PRIMARY KEY (person_id, account_id),
  CONSTRAINT memberships_role CHECK (role IN ('owner', 'member'))
);

CREATE INDEX memberships_of_account ON memberships (account_id);

-- Browsers that are signed in. A row is deleted when it is revoked or has expired.
CREATE TABLE sessions (
  id text PRIMARY KEY,
  person_id text NOT NULL CONSTRAINT sessions_person_id_people_id_fk REFERENCES people,
  -- Keyed hash of the cookie's value, which is stored nowhere.
  token_hash bytea NOT NULL,
  -- What the browser says it is, shortened, and where it came from: for people to tell their sessions apart.
  user_agent text NOT NULL,
  address text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Written at most once a minute.
  seen_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  -- Keyed hash that binds it to this person.
  seal bytea NOT NULL
);

CREATE UNIQUE INDEX sessions_token ON sessions (token_hash);
CREATE INDEX sessions_of_person ON sessions (person_id);
CREATE INDEX sessions_age ON sessions (expires_at);

-- One-time links by which a person joins, or sets a new password.
CREATE TABLE invitations (
  id text PRIMARY KEY,
  -- Keyed hash of the link's token, which is shown once.
  token_hash bytea NOT NULL,
  email text NOT NULL,
  -- The account that is joined; null: none.
  account_id text CONSTRAINT invitations_account_id_accounts_id_fk REFERENCES accounts,
  role text,
  makes_operator boolean NOT NULL DEFAULT false,
  -- An actor, as in the audit log.
  invited_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  -- Null: still good, if it has not expired.
  closed_at timestamptz,
  -- Whether it was used; else it was revoked.
  is_used boolean NOT NULL DEFAULT false,
  -- Keyed hash over what the link offers to whom.
  seal bytea NOT NULL,
  CONSTRAINT invitations_role CHECK ((account_id IS NULL) = (role IS NULL)),
  CONSTRAINT invitations_email_form CHECK (email = lower(email) AND char_length(email) <= 255),
  CONSTRAINT invitations_use CHECK (closed_at IS NOT NULL OR NOT is_used)
);

CREATE UNIQUE INDEX invitations_token ON invitations (token_hash);
CREATE INDEX invitations_order ON invitations (created_at);

-- The key to which an account's calls from the playground are booked. Its secret was never shown.
CREATE TABLE playground_keys (
  account_id text PRIMARY KEY CONSTRAINT playground_keys_account_id_accounts_id_fk REFERENCES accounts,
  key_id text NOT NULL CONSTRAINT playground_keys_key_id_api_keys_id_fk REFERENCES api_keys
);

-- What operators switched of models, over what the configuration says. Null leaves it at that.
CREATE TABLE model_switches (
  model text PRIMARY KEY,
  published boolean,
  maintenance boolean,
  set_by text NOT NULL,
  set_at timestamptz NOT NULL,
  CONSTRAINT model_switches_say_something CHECK (published IS NOT NULL OR maintenance IS NOT NULL)
);

-- Paid calls of unknown outcome that an operator has dealt with.
CREATE TABLE reviews (
  task_id text NOT NULL,
  route integer NOT NULL,
  reviewed_by text NOT NULL,
  reviewed_at timestamptz NOT NULL,
  -- What was found out, in the operator's words.
  note text NOT NULL,
  CONSTRAINT reviews_task_id_route_pk PRIMARY KEY (task_id, route),
  CONSTRAINT reviews_intent FOREIGN KEY (task_id, route) REFERENCES intents (task_id, route),
  CONSTRAINT reviews_note CHECK (char_length(note) BETWEEN 1 AND 500)
);

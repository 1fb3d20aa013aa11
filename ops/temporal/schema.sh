#!/bin/sh
# Brings both of Temporal's databases to the schema of this version of the tools. Running it again changes nothing.
# Needs POSTGRES_HOST, POSTGRES_PORT and SQL_PASSWORD, of the role `temporal`.
set -eu

for part in temporal:temporal visibility:temporal_visibility; do
  tool() {
    temporal-sql-tool --plugin postgres12 --endpoint "$POSTGRES_HOST" --port "$POSTGRES_PORT" --user temporal \
      --database "${part#*:}" "$@"
  }
  tool setup-schema --version 0.0
  tool update-schema --schema-name "postgresql/v12/${part%%:*}"
done

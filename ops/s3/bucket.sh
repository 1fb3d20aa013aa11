#!/bin/sh
# Makes the gateway's user and its bucket in the store. The user may do everything in that bucket, and nothing else.
# Needs ADMIN_ENDPOINT_URL, ADMIN_ACCESS_KEY_ID and ADMIN_SECRET_ACCESS_KEY of the store's administrator, and of the
# gateway S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY and S3_BUCKET.
set -eu

# Whether the first column of a list has this very name.
lists() { awk -v name="$1" '$1 == name { found = 1 } END { exit !found }'; }

if versitygw admin list-users | lists "$S3_ACCESS_KEY_ID"; then
  versitygw admin update-user --access "$S3_ACCESS_KEY_ID" --secret "$S3_SECRET_ACCESS_KEY"
else
  versitygw admin create-user --access "$S3_ACCESS_KEY_ID" --secret "$S3_SECRET_ACCESS_KEY" --role user
fi
if ! versitygw admin list-buckets | lists "$S3_BUCKET"; then
  versitygw admin create-bucket --bucket "$S3_BUCKET" --owner "$S3_ACCESS_KEY_ID"
fi

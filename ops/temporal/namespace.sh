#!/bin/sh
# Makes the gateway's namespace, or sets how long it keeps what ended. `tollgate audit` compares inside that time.
# Needs TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE and RETENTION, such as 30d.
set -eu

if temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1; then
  temporal operator namespace update --namespace "$TEMPORAL_NAMESPACE" --retention "$RETENTION"
else
  temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention "$RETENTION"
fi

# The server's own caches learn of a namespace within seconds; a client that connects earlier gets an error that there is none.
for _ in $(seq 60); do
  temporal workflow list --namespace "$TEMPORAL_NAMESPACE" --limit 1 >/dev/null 2>&1 && exit 0
  sleep 1
done
echo "The namespace $TEMPORAL_NAMESPACE does not answer." >&2
exit 1

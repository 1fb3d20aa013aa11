/**
 * All metrics of Tollgate's own, in one table; `docs/metrics.md` explains each, and a test keeps the two together. Names
 * and units are Prometheus': seconds, bytes, amounts of the gateway's currency, `_total` for what only grows. Labels are bounded by the configuration
 * and by this program: no account, key, task, request or address is ever one.
 */

export interface Declaration {
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  labels?: readonly string[];
  /** Upper bounds of a histogram's buckets. */
  buckets?: readonly number[];
  /** What the processes of one port show of a gauge together; the sum if nothing is said. */
  over?: 'sum' | 'min' | 'max';
}

/** Requests: from a refusal in a millisecond to a caller that waits five minutes for an image. */
const requestSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
/** What the gateway adds: a millisecond or two. */
const addedSeconds = [0.0005, 0.001, 0.002, 0.003, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
const upstreamSeconds = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const stepSeconds = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600];
const commitSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const storeSeconds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 120];

export const metricTable = {
  tollgate_build_info: {
    type: 'gauge',
    over: 'max',
    help: 'Always 1; the labels say what runs.',
    labels: ['version', 'node', 'currency'],
  },
  tollgate_api_processes: { type: 'gauge', help: 'API processes that this address shows: 1, or those of --processes.' },
  tollgate_ready: { type: 'gauge', over: 'min', help: 'Whether /readyz says that this process is ready: 1 or 0.' },
  tollgate_part_up: {
    type: 'gauge',
    over: 'min',
    help: 'Whether this process reaches a part that it needs: 1 or 0.',
    labels: ['part'],
  },
  tollgate_scrape_errors_total: {
    type: 'counter',
    help: 'Readings that failed during a scrape and are missing from it.',
    labels: ['part'],
  },

  tollgate_http_requests_total: {
    type: 'counter',
    help: "Requests by the router's pattern; status 'left' if the caller disconnected before an answer began.",
    labels: ['route', 'method', 'status'],
  },
  tollgate_request_records_lost_total: {
    type: 'counter',
    help: 'Records of requests that were given up: too many waited for the database (full), or it refused them (refused).',
    labels: ['reason'],
  },
  tollgate_request_bodies_lost_total: {
    type: 'counter',
    help: 'Recorded bodies of requests that were given up: too much waited (full), or database or blob store refused them (failed).',
    labels: ['reason'],
  },
  tollgate_http_request_duration_seconds: {
    type: 'histogram',
    help: 'From the head of a request to the end of its answer.',
    labels: ['route'],
    buckets: requestSeconds,
  },
  tollgate_http_time_to_first_byte_seconds: {
    type: 'histogram',
    help: 'From the head of a request to the head of its answer, which a stream sends with its first event.',
    labels: ['route'],
    buckets: requestSeconds,
  },
  tollgate_http_connections: { type: 'gauge', help: 'Open connections of callers.' },
  tollgate_gate_taken: {
    type: 'gauge',
    help: 'What is in use of a concurrency limit of this process.',
    labels: ['gate'],
  },
  tollgate_gate_places: { type: 'gauge', help: 'A concurrency limit of this process.', labels: ['gate'] },
  tollgate_gate_refused_total: {
    type: 'counter',
    help: 'Requests refused as overloaded because a concurrency or memory limit of this process was reached.',
    labels: ['gate'],
  },
  tollgate_body_bytes: { type: 'gauge', help: 'Memory that JSON bodies use, in bytes.' },
  tollgate_body_bytes_max: { type: 'gauge', help: 'Memory that JSON bodies may use, in bytes.' },

  tollgate_chat_added_latency_seconds: {
    type: 'histogram',
    help: "What the gateway adds to a chat call before its first byte: all but the caller's sending and the upstream's time.",
    labels: ['model', 'mode'],
    buckets: addedSeconds,
  },
  tollgate_chat_upstream_latency_seconds: {
    type: 'histogram',
    help: "The upstream's time: to the first piece of a stream's body, to the last of a whole answer.",
    labels: ['model', 'mode'],
    buckets: upstreamSeconds,
  },
  tollgate_tokens_total: {
    type: 'counter',
    help: 'Tokens of settled calls, as the upstream counted them or as they were estimated.',
    labels: ['model', 'direction', 'source'],
  },
  tollgate_usage_odd_total: {
    type: 'counter',
    help: 'Answers whose usage was missing, or not as its format has it, or named what has no price.',
    labels: ['provider', 'reason'],
  },
  tollgate_batch_lines_total: {
    type: 'counter',
    help: 'Lines of batches by what became of them.',
    labels: ['outcome'],
  },

  tollgate_tasks_accepted_total: {
    type: 'counter',
    help: 'Tasks that this process accepted.',
    labels: ['kind', 'model'],
  },
  tollgate_tasks_ended_total: {
    type: 'counter',
    help: 'Tasks that this process ended, by their final state and error code.',
    labels: ['kind', 'state', 'code'],
  },
  tollgate_task_duration_seconds: {
    type: 'histogram',
    help: 'From the acceptance of a task to its end.',
    labels: ['kind', 'state'],
    buckets: stepSeconds,
  },
  tollgate_tasks_unfinished: {
    type: 'gauge',
    over: 'max',
    help: 'Tasks of all processes that are not final; counted to 50,000.',
    labels: ['kind', 'state'],
  },
  tollgate_tasks_unserved: {
    type: 'gauge',
    over: 'max',
    help: 'Unfinished tasks of a provider that this worker does not serve; 0 for providers that it serves; counted to 10,000.',
    labels: ['provider'],
  },
  tollgate_tasks_unstarted: {
    type: 'gauge',
    over: 'max',
    help: 'Accepted tasks of all processes whose start was not acknowledged; counted to 50,000.',
  },
  tollgate_tasks_queued: {
    type: 'gauge',
    over: 'max',
    help: 'Accepted tasks of all processes that wait for the running ones of their keys; counted to 50,000.',
  },
  tollgate_tasks_unstarted_max: {
    type: 'gauge',
    over: 'max',
    help: 'Most tasks that may wait to be started (limits.waiting_tasks).',
  },
  tollgate_tasks_oldest_unstarted_seconds: {
    type: 'gauge',
    over: 'max',
    help: 'Age of the oldest accepted task whose start was not acknowledged; 0 without one.',
  },
  tollgate_task_starts_running: {
    type: 'gauge',
    help: 'Starts of tasks that this API process waits for; 256 at most.',
  },
  tollgate_unreadable_rows_total: {
    type: 'counter',
    help: 'Rows that a scan of this worker could not read, counted at each scan; `tollgate tasks list --unreadable` names them.',
    labels: ['scan'],
  },
  tollgate_step_duration_seconds: {
    type: 'histogram',
    help: 'Activity runs of tasks, webhook deliveries and maintenance, by outcome.',
    labels: ['step', 'kind', 'outcome'],
    buckets: stepSeconds,
  },
  tollgate_downloads_running: { type: 'gauge', help: 'Results that are being fetched from providers; 16 at most.' },
  tollgate_downloads_waiting: { type: 'gauge', help: 'Results that wait to be fetched from providers.' },
  tollgate_unknown_outcomes: {
    type: 'gauge',
    over: 'max',
    help: 'Paid calls of all processes whose outcome is unknown and that no operator has ticked off; counted to 10,000.',
  },
  tollgate_events_undelivered: {
    type: 'gauge',
    over: 'max',
    help: 'Webhook events of all processes that are neither delivered nor given up; counted to 50,000.',
    labels: ['state'],
  },
  tollgate_events_oldest_unstarted_seconds: {
    type: 'gauge',
    over: 'max',
    help: 'Age of the oldest webhook event without a delivery; 0 without one.',
  },

  tollgate_provider_calls_total: {
    type: 'counter',
    help: 'Calls to providers, by outcome.',
    labels: ['provider', 'operation', 'outcome'],
  },
  tollgate_provider_call_duration_seconds: {
    type: 'histogram',
    help: 'Duration of calls to providers; of a chat call, until the head of its answer.',
    labels: ['provider', 'operation'],
    buckets: upstreamSeconds,
  },

  tollgate_held_amount: {
    type: 'gauge',
    over: 'max',
    help: 'Money held for calls and tasks in the ledger, over all accounts.',
  },
  tollgate_captured_amount_total: {
    type: 'counter',
    help: 'Money that this process captured, by model.',
    labels: ['model'],
  },
  tollgate_implausible_usage_total: {
    type: 'counter',
    help: 'Charges that this process reduced because an upstream reported implausible usage.',
    labels: ['model'],
  },
  tollgate_ledger_moved_amount_total: {
    type: 'counter',
    help: 'Money that this process booked, by the type of the entry; adjustments count without their sign.',
    labels: ['type'],
  },
  tollgate_ledger_entries_total: {
    type: 'counter',
    help: 'Entries that this process wrote into the ledger.',
    labels: ['type'],
  },
  tollgate_ledger_group_moves: {
    type: 'histogram',
    help: 'Ledger operations in a commit.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
  },
  tollgate_ledger_commit_duration_seconds: {
    type: 'histogram',
    help: 'Duration of ledger commits.',
    buckets: commitSeconds,
  },
  tollgate_ledger_commit_failures_total: {
    type: 'counter',
    help: 'Failed attempts to commit; most are retried.',
  },
  tollgate_ledger_moves_waiting: { type: 'gauge', help: 'Ledger operations that wait for a commit.' },
  tollgate_ledger_moves_postponed: {
    type: 'gauge',
    help: 'Ledger operations that must commit and wait until the database is reachable.',
  },
  tollgate_ledger_moves_in_doubt: {
    type: 'gauge',
    help: 'Ledger operations whose commit got no answer, and whose callers wait for the outcome.',
  },
  tollgate_ledger_moves_waiting_max: { type: 'gauge', help: 'Most ledger operations that may wait for a commit.' },
  tollgate_orphaned_holds: {
    type: 'gauge',
    over: 'max',
    help: 'Unreleased holds of calls whose process died, over all processes; counted to 10,000.',
  },
  tollgate_orphaned_held_amount: { type: 'gauge', over: 'max', help: 'Money in those holds.' },

  tollgate_database_connections: {
    type: 'gauge',
    help: "Connections of this process's pools, idle or used.",
    labels: ['pool', 'state'],
  },
  tollgate_database_connections_max: { type: 'gauge', help: 'Most connections of a pool.', labels: ['pool'] },
  tollgate_database_waiting: {
    type: 'gauge',
    help: 'Statements that wait for a connection of a pool.',
    labels: ['pool'],
  },

  tollgate_blob_operations_total: {
    type: 'counter',
    help: 'Operations on the file store; an expected refusal, such as a missing file, is not an error.',
    labels: ['operation', 'outcome'],
  },
  tollgate_blob_operation_duration_seconds: {
    type: 'histogram',
    help: 'Duration of operations on the file store; of a read, until its first bytes.',
    labels: ['operation'],
    buckets: storeSeconds,
  },
  tollgate_blob_bytes_total: {
    type: 'counter',
    help: 'Bytes written to and read from the file store.',
    labels: ['operation'],
  },
  tollgate_data_disk_bytes: { type: 'gauge', over: 'max', help: 'Size of the file system of TOLLGATE_DATA_DIR.' },
  tollgate_data_disk_available_bytes: {
    type: 'gauge',
    over: 'min',
    help: 'Free space on the file system of TOLLGATE_DATA_DIR.',
  },

  tollgate_audit_agrees: {
    type: 'gauge',
    over: 'min',
    help: 'Whether the last whole audit found no disagreement: 1 or 0.',
  },
  tollgate_audit_findings: { type: 'gauge', over: 'max', help: 'Disagreements that the last whole audit found.' },
  tollgate_audit_entries: { type: 'gauge', over: 'max', help: 'Ledger entries that the last whole audit read.' },
  tollgate_audit_started_timestamp_seconds: { type: 'gauge', over: 'max', help: 'When the last whole audit began.' },
  tollgate_audit_finished_timestamp_seconds: { type: 'gauge', over: 'max', help: 'When the last whole audit ended.' },

  tollgate_reconcile_differing_ratio: {
    type: 'gauge',
    over: 'max',
    help: "What differs between a provider's last bill and the ledger, as a share of the bill.",
    labels: ['provider'],
  },
  tollgate_reconcile_agrees: {
    type: 'gauge',
    over: 'min',
    help: "Whether a provider's last bill was within the tolerance: 1 or 0.",
    labels: ['provider'],
  },
  tollgate_reconcile_differences: {
    type: 'gauge',
    over: 'max',
    help: "Calls, or days and models, of a provider's last bill by how they differ.",
    labels: ['provider', 'kind'],
  },
  tollgate_reconcile_period_end_timestamp_seconds: {
    type: 'gauge',
    over: 'max',
    help: 'Up to when the bills of a provider were compared.',
    labels: ['provider'],
  },
} as const satisfies Record<string, Declaration>;

type Table = typeof metricTable;
type NamesOf<Type> = { [Name in keyof Table]: Table[Name]['type'] extends Type ? Name : never }[keyof Table];

export type CounterName = NamesOf<'counter'>;
export type GaugeName = NamesOf<'gauge'>;
export type HistogramName = NamesOf<'histogram'>;

/** A metric's label values, in the order of its labels. */
export type LabelValues<Name extends keyof Table> = Table[Name] extends {
  labels: infer Labels extends readonly string[];
}
  ? { [At in keyof Labels]: string }
  : readonly [];

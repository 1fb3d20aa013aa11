/**
 * All metrics of Tollgate's own, in one table; `docs/metrics.md` explains each, and a test keeps the two together. Names
 * and units are Prometheus': seconds, bytes, yuan, `_total` for what only grows. Labels are bounded by the configuration
 * and by this program: no account, key, task, request or address is ever one.
 */

export interface Declaration {
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  labels?: readonly string[];
  /** Upper bounds of a histogram's buckets. */
  buckets?: readonly number[];
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
  tollgate_build_info: { type: 'gauge', help: 'Always 1; the labels say what runs.', labels: ['version', 'node'] },
  tollgate_ready: { type: 'gauge', help: 'Whether /readyz says that this process is ready: 1 or 0.' },
  tollgate_part_up: {
    type: 'gauge',
    help: 'Whether this process reaches a part that it needs: 1 or 0.',
    labels: ['part'],
  },
  tollgate_scrape_errors_total: {
    type: 'counter',
    help: 'Figures that could not be had for a scrape and are missing in it.',
    labels: ['part'],
  },

  tollgate_http_requests_total: {
    type: 'counter',
    help: "Requests by the router's pattern; status 'left' if the caller went before an answer began.",
    labels: ['route', 'method', 'status'],
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
  tollgate_gate_taken: { type: 'gauge', help: 'Places taken at a bound of this process.', labels: ['gate'] },
  tollgate_gate_places: { type: 'gauge', help: 'Places that there are at a bound of this process.', labels: ['gate'] },
  tollgate_gate_refused_total: {
    type: 'counter',
    help: 'Requests refused as overloaded, because a bound of this process was reached.',
    labels: ['gate'],
  },
  tollgate_body_bytes: { type: 'gauge', help: 'Bytes of JSON bodies in memory.' },
  tollgate_body_bytes_max: { type: 'gauge', help: 'Bytes of JSON bodies that there may be in memory.' },

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
    help: 'Tasks of all processes that are not final; counted to 50,000.',
    labels: ['kind', 'state'],
  },
  tollgate_tasks_unserved: {
    type: 'gauge',
    help: 'Tasks that are not final and name a provider whose tasks this worker does not take; 0 for those it takes; counted to 10,000.',
    labels: ['provider'],
  },
  tollgate_tasks_unstarted: {
    type: 'gauge',
    help: 'Accepted tasks of all processes that no start was acknowledged for; counted to 50,000.',
  },
  tollgate_tasks_unstarted_max: { type: 'gauge', help: 'How many may wait to be started (limits.waiting_tasks).' },
  tollgate_tasks_oldest_unstarted_seconds: {
    type: 'gauge',
    help: 'Age of the oldest accepted task that no start was acknowledged for; 0 without one.',
  },
  tollgate_task_starts_running: {
    type: 'gauge',
    help: 'Starts of tasks that this API process waits for; 256 at most.',
  },
  tollgate_unreadable_rows_total: {
    type: 'counter',
    help: 'Rows that a scan of this worker could not read, each time it met one; `tollgate tasks list --unreadable` names them.',
    labels: ['scan'],
  },
  tollgate_step_duration_seconds: {
    type: 'histogram',
    help: 'Runs of a step of a task, of a delivery or of the house, by how they ended.',
    labels: ['step', 'kind', 'outcome'],
    buckets: stepSeconds,
  },
  tollgate_downloads_running: { type: 'gauge', help: 'Results that are being fetched from providers; 16 at most.' },
  tollgate_downloads_waiting: { type: 'gauge', help: 'Results that wait to be fetched from providers.' },
  tollgate_unknown_outcomes: {
    type: 'gauge',
    help: 'Paid calls of all processes of which nobody knows what became, and no operator has ticked off; counted to 10,000.',
  },
  tollgate_events_undelivered: {
    type: 'gauge',
    help: 'Webhook events of all processes that have not ended; counted to 50,000.',
    labels: ['state'],
  },
  tollgate_events_oldest_unstarted_seconds: {
    type: 'gauge',
    help: 'Age of the oldest webhook event without a delivery; 0 without one.',
  },

  tollgate_provider_calls_total: {
    type: 'counter',
    help: 'Calls to providers by what came of them.',
    labels: ['provider', 'operation', 'outcome'],
  },
  tollgate_provider_call_duration_seconds: {
    type: 'histogram',
    help: 'Calls to providers; of a chat call, to the head of its answer.',
    labels: ['provider', 'operation'],
    buckets: upstreamSeconds,
  },

  tollgate_held_yuan: { type: 'gauge', help: 'Money held for calls and tasks, over all accounts, by the ledger.' },
  tollgate_captured_yuan_total: {
    type: 'counter',
    help: 'Money that this process captured, by model.',
    labels: ['model'],
  },
  tollgate_implausible_usage_total: {
    type: 'counter',
    help: 'Charges that this process cut, because an upstream claimed more than is possible.',
    labels: ['model'],
  },
  tollgate_ledger_moved_yuan_total: {
    type: 'counter',
    help: 'Money that this process moved, by the type of the entry; of adjustments, without their sign.',
    labels: ['type'],
  },
  tollgate_ledger_entries_total: {
    type: 'counter',
    help: 'Entries that this process wrote into the ledger.',
    labels: ['type'],
  },
  tollgate_ledger_group_moves: {
    type: 'histogram',
    help: 'How many moves a commit of the ledger carried.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
  },
  tollgate_ledger_commit_duration_seconds: {
    type: 'histogram',
    help: 'Commits of the ledger.',
    buckets: commitSeconds,
  },
  tollgate_ledger_commit_failures_total: {
    type: 'counter',
    help: 'Attempts to commit that failed; most are tried again.',
  },
  tollgate_ledger_moves_waiting: { type: 'gauge', help: 'Moves that wait for a commit of the ledger.' },
  tollgate_ledger_moves_postponed: {
    type: 'gauge',
    help: 'Moves that must be booked and wait for a database that is away.',
  },
  tollgate_ledger_moves_in_doubt: {
    type: 'gauge',
    help: 'Moves whose commit was not answered, and whose callers wait to learn whether it happened.',
  },
  tollgate_ledger_moves_waiting_max: { type: 'gauge', help: 'How many moves may wait for the ledger.' },
  tollgate_orphaned_holds: {
    type: 'gauge',
    help: 'Holds of calls whose process died, not released yet; over all processes, counted to 10,000.',
  },
  tollgate_orphaned_held_yuan: { type: 'gauge', help: 'Money in those holds.' },

  tollgate_database_connections: {
    type: 'gauge',
    help: "Connections of this process's pools, idle or used.",
    labels: ['pool', 'state'],
  },
  tollgate_database_connections_max: { type: 'gauge', help: 'How large a pool may grow.', labels: ['pool'] },
  tollgate_database_waiting: {
    type: 'gauge',
    help: 'Statements that wait for a connection of a pool.',
    labels: ['pool'],
  },

  tollgate_blob_operations_total: {
    type: 'counter',
    help: 'Operations on the store of files; a refusal that was asked for, such as a file that is not there, is no error.',
    labels: ['operation', 'outcome'],
  },
  tollgate_blob_operation_duration_seconds: {
    type: 'histogram',
    help: 'Operations on the store of files; of reading, to its begin.',
    labels: ['operation'],
    buckets: storeSeconds,
  },
  tollgate_blob_bytes_total: {
    type: 'counter',
    help: 'Bytes written to and read from the store.',
    labels: ['operation'],
  },
  tollgate_data_disk_bytes: { type: 'gauge', help: 'Size of the file system of TOLLGATE_DATA_DIR.' },
  tollgate_data_disk_available_bytes: { type: 'gauge', help: 'What is free on the file system of TOLLGATE_DATA_DIR.' },

  tollgate_audit_agrees: {
    type: 'gauge',
    help: 'Whether the last whole audit found that everything agrees: 1 or 0.',
  },
  tollgate_audit_findings: { type: 'gauge', help: 'How many things disagreed in the last whole audit.' },
  tollgate_audit_entries: { type: 'gauge', help: 'How many ledger entries the last whole audit looked at.' },
  tollgate_audit_started_timestamp_seconds: { type: 'gauge', help: 'When the last whole audit began.' },
  tollgate_audit_finished_timestamp_seconds: { type: 'gauge', help: 'When the last whole audit ended.' },
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

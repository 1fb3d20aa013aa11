/** The statement that writes a group's money, and the arrays of rows that it takes. */
import {
  bigints,
  booleans,
  byteas,
  integers,
  moments,
  texts,
  transactionIds,
  uuids,
} from '../../postgres/binary-arrays.ts';
import { ledgerAccounts } from '../../domain/billing/postings.ts';
import { windows } from '../../domain/accounts/key-rules.ts';
import type { NewHold } from './ledger-operation.ts';
import type { EntryRow } from './written-rows.ts';
import type { LockedAccount, LockedKey } from './locked-rows.ts';

/** Rows to be written, a column at a time. */
interface Column<Row> {
  name: string;
  /** Of the array's elements, as the parameter is sent. */
  type: string;
  array: (rows: readonly Row[]) => Buffer;
  /** The column's own type, where it is sent as another. */
  cast?: string;
}

const accountColumns: readonly Column<LockedAccount>[] = [
  { name: 'id', type: 'text', array: (rows) => texts(rows, ({ id }) => id) },
  { name: 'available', type: 'bigint', array: (rows) => bigints(rows, ({ available }) => available) },
  { name: 'held', type: 'bigint', array: (rows) => bigints(rows, ({ held }) => held) },
  { name: 'in_arrears', type: 'boolean', array: (rows) => booleans(rows, ({ inArrears }) => inArrears) },
  { name: 'is_low', type: 'boolean', array: (rows) => booleans(rows, ({ isLow }) => isLow) },
  { name: 'seq', type: 'bigint', array: (rows) => bigints(rows, ({ seq }) => seq) },
  { name: 'chain', type: 'bytea', array: (rows) => byteas(rows, ({ chain }) => chain) },
  { name: 'version', type: 'xid', array: (rows) => transactionIds(rows, ({ version }) => version) },
];

const counterColumns = (name: 'calls' | 'spent' | 'since'): Column<LockedKey>[] =>
  windows.map((window) => ({
    name: `${name}_${window}`,
    type: 'bigint',
    array: (rows) => bigints(rows, ({ counters }) => counters[name][window]),
  }));

const keyColumns: readonly Column<LockedKey>[] = [
  { name: 'id', type: 'text', array: (rows) => texts(rows, ({ id }) => id) },
  { name: 'counted_at', type: 'timestamptz', array: (rows) => moments(rows, ({ counters }) => counters.countedAt) },
  { name: 'running_tasks', type: 'integer', array: (rows) => integers(rows, ({ counters }) => counters.runningTasks) },
  ...counterColumns('calls'),
  ...counterColumns('spent'),
  { name: 'version', type: 'xid', array: (rows) => transactionIds(rows, ({ version }) => version) },
];

/** What changes once a minute at most: when counting began. */
const windowColumns: readonly Column<LockedKey>[] = [
  ...counterColumns('since'),
  {
    name: 'clock_back_at',
    type: 'timestamptz',
    array: (rows) => moments(rows, ({ counters }) => counters.clockBackAt),
  },
];

export interface HoldRow extends NewHold {
  accountId: string;
}

const holdColumns: readonly Column<HoldRow>[] = [
  { name: 'transfer_id', type: 'uuid', array: (rows) => uuids(rows, ({ transferId }) => transferId) },
  { name: 'account_id', type: 'text', array: (rows) => texts(rows, ({ accountId }) => accountId) },
  { name: 'key_id', type: 'text', array: (rows) => texts(rows, ({ keyId }) => keyId) },
  { name: 'subject', type: 'text', array: (rows) => texts(rows, ({ subject }) => subject) },
  { name: 'amount', type: 'bigint', array: (rows) => bigints(rows, ({ amount }) => amount) },
  { name: 'owner', type: 'uuid', array: (rows) => uuids(rows, ({ owner }) => owner) },
];

export interface LinkedEntryRow extends EntryRow {
  /** On the last entry that a commit gives an account: the head of its chain. */
  link: Buffer | undefined;
}

const entryColumns: readonly Column<LinkedEntryRow>[] = [
  { name: 'transfer_id', type: 'uuid', array: (rows) => uuids(rows, ({ entry }) => entry.subject.transferId) },
  { name: 'type', type: 'text', array: (rows) => texts(rows, ({ entry }) => entry.type) },
  { name: 'account_id', type: 'text', array: (rows) => texts(rows, ({ accountId }) => accountId) },
  { name: 'seq', type: 'bigint', array: (rows) => bigints(rows, ({ seq }) => seq) },
  ...ledgerAccounts.map((account): Column<LinkedEntryRow> => ({
    name: `d_${account}`,
    type: 'bigint',
    array: (rows) => bigints(rows, ({ entry }) => entry.legs[account]),
  })),
  { name: 'available_after', type: 'bigint', array: (rows) => bigints(rows, ({ availableAfter }) => availableAfter) },
  { name: 'held_after', type: 'bigint', array: (rows) => bigints(rows, ({ heldAfter }) => heldAfter) },
  { name: 'key_id', type: 'text', array: (rows) => texts(rows, ({ entry }) => entry.subject.keyId) },
  { name: 'task_id', type: 'text', array: (rows) => texts(rows, ({ entry }) => entry.subject.taskId) },
  { name: 'request_id', type: 'text', array: (rows) => texts(rows, ({ entry }) => entry.subject.requestId) },
  { name: 'model', type: 'text', array: (rows) => texts(rows, ({ entry }) => entry.subject.model) },
  { name: 'units', type: 'text', cast: 'numeric', array: (rows) => texts(rows, ({ entry }) => entry.sale?.units) },
  { name: 'unit', type: 'text', array: (rows) => texts(rows, ({ entry }) => entry.sale?.unit) },
  { name: 'unit_price', type: 'bigint', array: (rows) => bigints(rows, ({ entry }) => entry.sale?.unitPrice) },
  { name: 'lines', type: 'text', cast: 'jsonb', array: (rows) => texts(rows, ({ entry }) => entry.sale?.lines) },
  { name: 'price_version', type: 'text', array: (rows) => texts(rows, ({ entry }) => entry.sale?.priceVersion) },
  { name: 'usage_source', type: 'text', array: (rows) => texts(rows, ({ entry }) => entry.sale?.usageSource) },
  { name: 'reason', type: 'text', array: (rows) => texts(rows, ({ entry }) => entry.reason) },
  { name: 'provider', type: 'text', array: (rows) => texts(rows, ({ entry }) => entry.origin?.provider) },
  { name: 'cost', type: 'bigint', array: (rows) => bigints(rows, ({ entry }) => entry.origin?.cost) },
  { name: 'vendor', type: 'text', array: (rows) => texts(rows, ({ entry }) => entry.origin?.vendor) },
  { name: 'link', type: 'bytea', array: (rows) => byteas(rows, ({ link }) => link) },
];

export interface MoneyRows {
  accounts: readonly LockedAccount[];
  keys: readonly LockedKey[];
  /** Whether counting begins anew in a window of one of the keys. */
  beginsWindow: boolean;
  holds: readonly HoldRow[];
  captured: readonly string[];
  released: readonly string[];
  entries: readonly LinkedEntryRow[];
  now: Date;
}

interface MoneyParts {
  opens: boolean;
  closes: boolean;
  beginsWindow: boolean;
  isLocked: boolean;
}

// One statement for all the money, with four guards; if one fails, nothing is written:
// - a hold that was closed already is not closed again, so that nothing is captured twice (asked first: with what it held
//   gone already, the account's balance would break a constraint instead): `hold_closed`,
// - an account or key that another transaction wrote since it was read has another `xmin` and is not updated:
//   `account_changed`, `key_changed`,
// - a transfer has one entry of a type, and the balances never fall below zero (constraints of the tables).
// Holds are closed by an array and not by a join: a join is planned as a scan of every partition (6 ms at 15,000 holds,
// growing), an array as one look-up each. Which partitions those are in the plan knows from the first and the last of them. A part that a group has no rows for is left
// out: opening its tables is much of what a small group costs. Rows come of `unnest` in a list of columns, one after the other:
// in `from` each of the fifty arrays is first copied into a store of 24 kB, a third of what a group of one costs.
// Accounts are locked before holds everywhere, since a sweep and a late settlement may close the same hold at once. Over
// rows that are locked already that is so; over known ones the holds wait for the accounts' update. (Not everywhere: with
// a hold gone that was closed before, the update of a fresh row may break its constraint before the guard is asked.)
function moneyStatement(parts: MoneyParts) {
  const { opens, closes, beginsWindow, isLocked } = parts;
  const values: ((rows: MoneyRows) => unknown)[] = [];
  const parameter = (type: string, value: (rows: MoneyRows) => unknown) => `$${values.push(value)}::${type}`;
  const table = <Row>(columns: readonly Column<Row>[], of: (rows: MoneyRows) => readonly Row[]) => {
    const lists = columns.map(
      ({ name, type, array }) => `unnest(${parameter(`${type}[]`, (rows) => array(of(rows)))}) as ${name}`,
    );
    return `(select ${lists.join(', ')}) as r`;
  };
  const countColumns = beginsWindow ? [...keyColumns, ...windowColumns] : keyColumns;
  const counts = countColumns.filter(({ name }) => name !== 'id' && name !== 'version');
  const now = parameter('timestamptz', (rows) => rows.now);
  const captured = closes ? parameter('uuid[]', (rows) => uuids(rows.captured, (id) => id)) : '';
  const released = closes ? parameter('uuid[]', (rows) => uuids(rows.released, (id) => id)) : '';
  const first = closes ? parameter('uuid', (rows) => closedOf(rows)[0]) : '';
  const last = closes ? parameter('uuid', (rows) => closedOf(rows).at(-1)) : '';
  const wroteAll = (part: string, count: string, guard: string) =>
    `tollgate_require((select count(*) from ${part}) = ${count}, '${guard}')`;
  const accounts = wroteAll(
    'account_rows',
    parameter('integer', (rows) => rows.accounts.length),
    'account_changed',
  );
  const keys = wroteAll(
    'key_rows',
    parameter('integer', (rows) => rows.keys.length),
    'key_changed',
  );
  const holds = closes
    ? [wroteAll('closed_holds', `cardinality(${captured}) + cardinality(${released})`, 'hold_closed')]
    : [];
  // Over known rows a hold is closed only after its account's update: an account that changed is then the reason of both.
  const guards = isLocked ? [...holds, accounts, keys] : [accounts, ...holds, keys];
  const text = `with
    account_rows as (
      update accounts a set available = r.available, held = r.held, in_arrears = r.in_arrears, is_low = r.is_low,
        seq = r.seq, chain = r.chain
      from ${table(accountColumns, (rows) => rows.accounts)} where a.id = r.id and a.xmin = r.version returning 1
    ),
    key_rows as (
      update api_keys k set ${counts.map(({ name }) => `${name} = r.${name}`).join(', ')}
      from ${table(countColumns, (rows) => rows.keys)} where k.id = r.id and k.xmin = r.version returning 1
    ),
    ${
      opens
        ? `new_holds as (
      insert into holds (${namesOf(holdColumns)}, created_at)
      select ${valuesOf(holdColumns)}, ${now} from ${table(holdColumns, (rows) => rows.holds)}
    ),`
        : ''
    }
    ${
      closes
        ? `closed_holds as (
      update holds set state = case when transfer_id = any(${captured}) then 'captured' else 'released' end, owner = null
      where transfer_id = any(${captured} || ${released}) and transfer_id between ${first} and ${last} and state = 'held'
        ${isLocked ? '' : 'and (select count(*) from account_rows) > 0'} returning 1
    ),`
        : ''
    }
    new_entries as (
      insert into entries (${namesOf(entryColumns)}, created_at)
      select ${valuesOf(entryColumns)}, ${now} from ${table(entryColumns, (rows) => rows.entries)}
    )
    select pg_current_xact_id()::xid::text as version, clock_timestamp() as now, ${guards.join(' and ')} as guarded`;
  return { name: nameOf(parts), text, values };
}

/** All holds that are closed, the smallest id first. */
const closedOf = ({ captured, released }: MoneyRows): string[] => [...captured, ...released].sort();

const statements = new Map<string, ReturnType<typeof moneyStatement>>();

/** Made when it is first needed: of the sixteen a process uses few. */
function statementFor(parts: MoneyParts): ReturnType<typeof moneyStatement> {
  const name = nameOf(parts);
  let statement = statements.get(name);
  if (!statement) statements.set(name, (statement = moneyStatement(parts)));
  return statement;
}

function nameOf({ opens, closes, beginsWindow, isLocked }: MoneyParts): string {
  return `write-money${opens ? '-open' : ''}${closes ? '-close' : ''}${beginsWindow ? '-window' : ''}${isLocked ? '-locked' : ''}`;
}

/** The statement that writes a group's money; returns its transaction's number and the database's clock. */
export function writeMoney(
  rows: MoneyRows,
  { isLocked }: { isLocked: boolean },
): { name: string; text: string; values: unknown[] } {
  const opens = rows.holds.length > 0;
  const closes = rows.captured.length + rows.released.length > 0;
  const { values, ...statement } = statementFor({ opens, closes, beginsWindow: rows.beginsWindow, isLocked });
  return { ...statement, values: values.map((value) => value(rows)) };
}

function namesOf(columns: readonly { name: string }[]): string {
  return columns.map(({ name }) => name).join(', ');
}

function valuesOf(columns: readonly { name: string; cast?: string }[]): string {
  return columns.map(({ name, cast }) => (cast === undefined ? name : `${name}::${cast}`)).join(', ');
}

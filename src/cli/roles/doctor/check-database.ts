/** The database: whether it answers, may be relied on, has our tables and is signed under our secret. */
import { deriveKeys } from '../../../config/secrets.ts';
import {
  connectionsPerProcess,
  type Database,
  missingPartitions,
  openDatabase,
  sqlState,
} from '../../../postgres/database.ts';
import { findFact } from '../../../postgres/installation.ts';
import { migrationState, unreleased } from '../../../postgres/migrations.ts';
import { readServerFacts, type ServerFacts } from '../../../postgres/server-facts.ts';
import { findCurrency } from '../../../runtime/check-currency.ts';
import { judgeClock } from './check-clock.ts';
import { fail, type Finding, ok, skip, type Verdict, warn } from './finding.ts';
import { reasonOf } from './reason.ts';

/** The oldest release that is tested against; older ones are near or past the end of their life. */
const majorMin = 15;

export interface Reached {
  database: Database;
  /** Unix ms by the server's clock, by which all ages here go. */
  now: () => number;
}

/** Opens a connection and looks at the server. The caller closes the database. */
export async function examineDatabase(
  url: string | undefined,
  { isOurs, onOpen }: { isOurs: boolean; onOpen: (database: Database) => void },
): Promise<Verdict<Reached>> {
  const name = 'database';
  if (url === undefined) return { findings: [skip(name, 'its address is unknown')] };
  const place = placeOf(url);
  const database = openDatabase(url, { onIdleError: () => undefined, connectionsMax: 2 });
  onOpen(database);
  let facts: ServerFacts;
  try {
    facts = await readServerFacts(database);
  } catch (error) {
    return { findings: [fail(name, `${place}: ${reasonOf(error)}`, fixOf(error, isOurs))] };
  }
  const version = `PostgreSQL ${facts.version} at ${place}`;
  const findings = [
    facts.major < majorMin
      ? fail(name, version, `upgrade to PostgreSQL ${majorMin} or later`)
      : ok(name, `${version}, round trip ${facts.roundTripMs.toFixed(1)} ms`),
    ...judgeServer(facts, { isOurs }),
  ];
  return { findings, value: { database, now: () => Date.now() - facts.clockAheadMs } };
}

/** What is said of a server that answers. The embedded one is ours alone, so its superuser is no finding. */
export function judgeServer(facts: ServerFacts, { isOurs }: { isOurs: boolean }): Finding[] {
  return [
    ...writable(facts),
    roleOf(facts, isOurs),
    durability(facts),
    connectionsOf(facts),
    judgeClock("the database's", facts.clockAheadMs, facts.roundTripMs / 2),
  ];
}

export async function examineMigrations(database: Database, { isOurs }: { isOurs: boolean }): Promise<Verdict<true>> {
  const name = 'migrations';
  const { applied, known, missing, isNewer, changed, isUnreleased } = await migrationState(database);
  const found = `${applied} applied, ${known} known here`;
  if (isNewer)
    return { findings: [fail(name, `a newer Tollgate migrated this database (${found})`, 'run that version here')] };
  if (isUnreleased) return { findings: [fail(name, `the database ${unreleased.found}`, unreleased.fix)] };
  if (changed.length > 0) {
    const what = `${changed.join(', ')} had other contents when applied (${found})`;
    return { findings: [fail(name, what, 'run the version that applied it, or put the file back')] };
  }
  if (missing.length === 0) {
    const partitions = judgePartitions(await missingPartitions(database.pool));
    return { findings: [ok(name, `up to date (${applied})`), partitions], value: true };
  }
  const fix = isOurs ? "stop and start the gateway ('npm start')" : "'npx tollgate migrate'";
  const what = applied === 0 ? 'the database has no tables yet' : `${missing.length} missing: ${found}`;
  return { findings: [fail(name, what, fix)] };
}

/** What is said of the partitions that this month and the next one do without. */
export function judgePartitions(missing: readonly string[]): Finding {
  const name = 'partitions';
  if (missing.length === 0) return ok(name, 'this month and next month exist');
  const fix = "'npx tollgate migrate' at a quiet time; rows already in the default partition stay there";
  return warn(name, `${missing.join(', ')} missing: rows of such a month go to the default partition`, fix);
}

/** Whether the secret is the one that this database was signed under; it is agreed on by the first process, not here. */
export async function examineSecret(database: Database, secretTexts: readonly string[]): Promise<Verdict<true>> {
  const name = 'secret';
  const { all, fingerprint } = deriveKeys(secretTexts);
  const known = await findFact(database, 'secret_fingerprint');
  if (known === undefined) return { findings: [ok(name, 'no process has used this database yet')], value: true };
  if (all.some(({ id }) => id === known)) {
    const more = all.length > 1 ? `, one of ${all.length}` : '';
    return { findings: [ok(name, `matches this database (fingerprint ${known}${more})`)], value: true };
  }
  const found = `this database was sealed with another secret (fingerprint ${known}, here ${fingerprint})`;
  return {
    findings: [fail(name, found, 'set TOLLGATE_SECRET to that secret, or add it to the comma-separated list')],
  };
}

/** Whether the books are in the configured currency; the first start decides it, not this. */
export async function examineCurrency(database: Database, wanted: string): Promise<Verdict<true>> {
  const name = 'currency';
  const known = await findCurrency(database);
  if (known === undefined)
    return { findings: [ok(name, `${wanted}; no process has used this database yet`)], value: true };
  if (known === wanted) return { findings: [ok(name, `${known}, as this database`)], value: true };
  const found = `this database's books are in ${known}, the settings want ${wanted}`;
  return { findings: [fail(name, found, `set 'currency: ${known}', or use a database of its own for ${wanted}`)] };
}

function writable({ standby, read_only, encoding }: ServerFacts): Finding[] {
  const findings: Finding[] = [];
  if (standby) findings.push(fail('database', 'is a read-only standby', 'set DATABASE_URL to the primary'));
  else if (read_only)
    findings.push(fail('database', 'default_transaction_read_only is on', 'turn it off for this role and database'));
  if (encoding !== 'UTF8')
    findings.push(fail('database', `its encoding is ${encoding}`, 'create a database with encoding UTF8'));
  return findings;
}

function roleOf(facts: ServerFacts, isOurs: boolean): Finding {
  const name = 'database role';
  const { role, superuser, makes_tables, foreign_tables } = facts;
  if (isOurs) return ok(name, `${role}, of the embedded server`);
  if (superuser) {
    const fix = 'create a role without superuser that owns the database, and use it in DATABASE_URL';
    return warn(name, `${role} is a superuser, which Tollgate does not need`, fix);
  }
  if (!makes_tables)
    return fail(
      name,
      `${role} may not create tables, which each month needs`,
      `grant create on schema public to "${role}"`,
    );
  if (foreign_tables > 0) {
    const fix = `transfer them with 'reassign owned', or migrate and run as their owner`;
    return fail(name, `${foreign_tables} tables are not owned by ${role}`, fix);
  }
  return ok(name, `${role} may create tables, and is no superuser`);
}

function durability({ fsync, full_page_writes, synchronous_commit }: ServerFacts): Finding {
  const off = Object.entries({ fsync, full_page_writes, synchronous_commit }).filter(([, value]) => value === 'off');
  const found = `fsync ${fsync}, full_page_writes ${full_page_writes}, synchronous_commit ${synchronous_commit}`;
  if (off.length === 0) return ok('durability', found);
  const names = off.map(([setting]) => setting).join(', ');
  return warn('durability', `${names} off: a crash may lose committed bookings`, `set ${names} to on`);
}

function connectionsOf({ connections_max: max, connections_used: used }: ServerFacts): Finding {
  const found = `${used} of ${max} used; each Tollgate process uses up to ${connectionsPerProcess}`;
  const fits = Math.floor((max - used) / connectionsPerProcess);
  if (fits >= 1) return ok('connections', `${found}, so ${fits} more fit`);
  const fix = 'raise max_connections, or find other open connections (pg_stat_activity)';
  return warn('connections', `${found}, so none more fits`, fix);
}

function fixOf(error: unknown, isOurs: boolean): string {
  if (isOurs) return "check postgres/postgres.log in the data folder; 'npm start' restarts it";
  const state = sqlState(error) ?? '';
  if (/^28/.test(state)) return "correct the user and password in DATABASE_URL, or the server's pg_hba.conf";
  if (state === '3D000') return 'create the database, or correct its name in DATABASE_URL';
  if (state === '42501') return 'grant connect on the database to this role';
  if (state === '53300') return 'raise max_connections, or close other connections';
  if (/^57P0/.test(state)) return 'wait: the server is starting or stopping; see its log';
  return 'start PostgreSQL, or correct the host and port in DATABASE_URL';
}

/** Host, port and database; never user or password. */
function placeOf(url: string): string {
  if (!URL.canParse(url)) return 'DATABASE_URL';
  const { hostname, port, pathname, searchParams } = new URL(url);
  const host = hostname === '' ? (searchParams.get('host') ?? 'localhost') : hostname;
  return `${host}:${port === '' ? '5432' : port}${pathname}`;
}

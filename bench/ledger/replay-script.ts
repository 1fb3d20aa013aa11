/**
 * What the product sent as a script of pgbench: the same statements, by their text prepared as the product has them, with
 * the same rows in the same groups. Only ids differ, so that nothing is there already: the script's customers are twins of
 * the product's, and whatever was new has another id of the same time.
 *
 * Choices, in pgbench's favour where there is one. A group's versions (`xmin`) are what the statement before has answered,
 * by `\gset`, as the product knows them too: one round trip and no look. What the product sends in one go is one command
 * (`\;`). The script computes nothing: balances, numbers and links are those that the product worked out. The first tenth
 * of the groups is not timed: a new connection plans and fills its caches there, as the product's has done long before.
 * What pgbench has to bear are parameters as text, since it can send no binary ones: that costs its PostgreSQL about a
 * quarter more CPU time than the product's, so both are in the table.
 */
import type { Customer } from './fill.ts';
import { itemsOf, literalOf } from './literals.ts';
import type { SentStatement } from './recorder.ts';

/** A statement with its parameters as PostgreSQL would print them. */
export interface PrintedStatement extends SentStatement {
  parameters: readonly (string | null)[];
}

export interface ReplayScript {
  text: string;
  /** How many groups it writes, and how many of them, the last ones, are within the time that it measures. */
  groups: number;
  timedGroups: number;
}

/** Where the script leaves when its timed part began and ended, in seconds. */
export const replaysTable = 'create table if not exists bench_replays (begun numeric, ended numeric)';

const untimedShare = 0.1;

/** The script that does what was sent, on the twins of these customers. */
export function replayScript(
  sent: readonly PrintedStatement[],
  customers: readonly Customer[],
  twins: readonly Customer[],
): ReplayScript {
  const rename = renaming(customers, twins);
  const trips = tripsOf(sent);
  const groups = trips.map(versionedRowsOf).map((rows) => rows.map(rename));
  const untimedTrips = Math.floor(trips.length * untimedShare);
  const variables = new Map<string, string>();
  for (const id of groups.flat()) if (!variables.has(id)) variables.set(id, `v_${variables.size}`);
  const lines = [...preparations(sent), firstVersions(variables)];
  const versions = new Map(variables);
  for (const [at, trip] of trips.entries()) {
    if (at === untimedTrips) lines.push('select extract(epoch from clock_timestamp()) as begun \\gset');
    lines.push(commandOf(trip, rename, versions));
    const written = groups[at] ?? [];
    const next = new Set(groups[at + 1] ?? []);
    for (const id of versions.keys()) {
      const variable = variables.get(id) ?? '';
      // As answered, unless it is needed only after the next answer has taken its place.
      if (written.includes(id)) {
        versions.set(id, next.has(id) ? 'version' : variable);
        if (!next.has(id)) lines.push(`\\set ${variable} :version`);
      }
    }
  }
  lines.push('insert into bench_replays values (:begun, extract(epoch from clock_timestamp()));');
  const writing = (some: readonly string[][]) => some.filter((rows) => rows.length > 0).length;
  return {
    text: lines.join('\n') + '\n',
    groups: writing(groups),
    timedGroups: writing(groups.slice(untimedTrips)),
  };
}

/** Statements that went out without waiting for each other's answers: a transaction, or its locks and its writes; or one alone. */
function tripsOf(sent: readonly PrintedStatement[]): PrintedStatement[][] {
  const trips: PrintedStatement[][] = [[]];
  let isOpen = false;
  for (const statement of sent) {
    if (statement.text === 'rollback') throw new Error('the product rolled a group back: nothing that can be replayed');
    if (statement.text === 'begin') isOpen = true;
    trips.at(-1)?.push(statement);
    if (statement.text === 'commit') isOpen = false;
    if (!isOpen || statement.name === 'read-after-locks') trips.push([]);
  }
  return trips.filter((trip) => trip.length > 0);
}

/** By their places in its parameters, the types that a statement casts them to. */
export const typesIn = ({ text }: SentStatement): Map<number, string> =>
  new Map([...text.matchAll(/\$(\d+)::([a-z]+(?:\[\])?)/g)].map(([, at, type = '']) => [Number(at) - 1, type]));

/** An array of versions in a statement, and the array of the rows' ids beside it. */
interface Versions {
  versions: number;
  ids: number;
}

const versionsIn = ({ text }: SentStatement): Versions[] =>
  [...text.matchAll(/\(select (unnest\(.*?)\) as r\b/g)].flatMap(([, list = '']) => {
    const types = [...list.matchAll(/\$(\d+)::([a-z]+)/g)].map(([, at, type]) => ({ at: Number(at) - 1, type }));
    const versions = types.find(({ type }) => type === 'xid');
    return versions && types[0] ? [{ versions: versions.at, ids: types[0].at }] : [];
  });

const idsOf = ({ parameters }: PrintedStatement, { ids }: Versions): string[] =>
  itemsOf(parameters[ids] ?? '{}').filter((id) => id !== null);

/** The ids of the rows that a round trip writes and proves. */
const versionedRowsOf = (trip: readonly PrintedStatement[]): string[] =>
  trip.flatMap((statement) => versionsIn(statement).flatMap((place) => idsOf(statement, place)));

function preparations(sent: readonly SentStatement[]): string[] {
  const texts = new Map(sent.flatMap(({ name, text }) => (name === undefined ? [] : [[name, text]])));
  return [...texts].map(([name, text]) => `prepare "${name}" as ${text};`);
}

function firstVersions(variables: ReadonlyMap<string, string>): string {
  const columns = [...variables].map(([id, variable]) => {
    const table = id.startsWith('acc_') ? 'accounts' : 'api_keys';
    return `(select xmin from ${table} where id = '${id}') as ${variable}`;
  });
  return `select ${columns.join(', ')} \\gset`;
}

function commandOf(
  trip: readonly PrintedStatement[],
  rename: (text: string) => string,
  versions: ReadonlyMap<string, string>,
): string {
  const statements = trip.map((statement) => {
    const { name, text, parameters } = statement;
    if (name === undefined) return text;
    const known = new Map(versionsIn(statement).map((place) => [place.versions, idsOf(statement, place)]));
    const types = typesIn(statement);
    const literals = parameters.map((parameter, at) => {
      const ids = known.get(at);
      if (ids) return versionsLiteral(ids.map((id) => versions.get(rename(id)) ?? ''));
      return rename(literalOf(parameter, types.get(at) ?? ''));
    });
    return `execute "${name}"(${literals.join(', ')})`;
  });
  // `\aset` takes the answers of several statements, and minds none that has no rows.
  return `${statements.join(' \\;\n')} ${trip.length === 1 ? '\\gset' : '\\aset'}`;
}

/** pgbench puts each variable into the text by itself, so one is better than many. */
function versionsLiteral(variables: readonly string[]): string {
  const [first] = variables;
  if (first !== undefined && variables.every((variable) => variable === first)) {
    return `array_fill(':${first}'::xid, array[${variables.length}])`;
  }
  return `'{${variables.map((variable) => `:${variable}`).join(',')}}'`;
}

/** Ids end in a random digit; another one there makes another id that isn't used. */
function renaming(customers: readonly Customer[], twins: readonly Customer[]): (text: string) => string {
  const twinOf = new Map<string, string>();
  customers.forEach(({ account, key }, at) => {
    const twin = twins[at];
    if (!twin) throw new Error('a customer has no twin');
    twinOf.set(account, twin.account).set(key, twin.key);
  });
  const other = (id: string) => id.slice(0, -1) + (parseInt(id.slice(-1), 16) ^ 8).toString(16);
  return (text) =>
    text.replace(
      /\b(?:[a-z]{3}_[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12})\b/g,
      (id) => twinOf.get(id) ?? other(id),
    );
}

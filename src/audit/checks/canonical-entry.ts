/** The text of an entry that the ledger's chain signs, made by the database from the entry's row. */
import { canonicalJson } from '../../domain/json/canonical-json.ts';
import { ledgerAccounts } from '../../domain/billing/postings.ts';

/** Stands in the text where the lines of a sale come, which the database would print in another order. */
const linesMark = '\u0001';

const inQuotes = (column: string) => `coalesce('"' || ${column} || '"', 'null')`;
const escaped = (column: string) => `coalesce(to_json(${column})::text, 'null')`;

/**
 * Microseconds are shown where there are any: the ledger writes none. `to_char` has no text for infinity, and shows a year
 * before Christ as the same year after.
 */
const moment = `case when not isfinite(e.created_at) or e.created_at < '0001-01-01Z' then e.created_at::text
  else to_char(e.created_at, case when extract(microseconds from e.created_at)::bigint % 1000 = 0
    then 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"' else 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"' end) end`;

/**
 * SQL of the canonical text (`canonicalEntry`) of the entry `e`, in a session in UTC. Ids and words of ours are put in
 * quotes, what people wrote is escaped, as the ledger does; its lines are to be put in by `withLines`.
 */
export const canonicalSql = `'["' || ${[
  'e.transfer_id',
  'e.type',
  'e.account_id',
  'e.seq',
  moment,
  ...ledgerAccounts.map((account) => `e.d_${account}`),
  'e.available_after',
  'e.held_after',
].join(` || '","' || `)} || '",' || ${[
  ...[inQuotes('e.key_id'), inQuotes('e.task_id'), escaped('e.request_id'), escaped('e.model')],
  ...[inQuotes('e.units'), inQuotes('e.unit'), inQuotes('e.unit_price')],
  `case when e.lines is null then 'null' else chr(1) end`,
  ...[inQuotes('e.price_version'), inQuotes('e.usage_source'), escaped('e.reason')],
  ...[escaped('e.provider'), inQuotes('e.cost'), escaped('e.vendor')],
].join(` || ',' || `)} || ']'`;

/** Puts the lines of a sale, as `jsonb` prints them, into the canonical text. */
export function withLines(text: string, lines: string | null): string {
  return lines === null ? text : text.replace(linesMark, () => canonicalLines(lines));
}

// A call's lines as they have always been, which need no parsing: `jsonb` orders names by their length first.
const callLine = /\{"unit": ("\w+"), "units": (\d{1,15}), "amount": ("\d+"), "price_per_million": ("\d+")\}/g;

function canonicalLines(jsonb: string): string {
  const replaced = jsonb.replaceAll(callLine, '{"amount":$3,"price_per_million":$4,"unit":$1,"units":$2}');
  if (!replaced.includes(': ')) return replaced.replaceAll('}, {', '},{');
  const value: unknown = JSON.parse(jsonb);
  // Numbers that JavaScript would round were not written by the ledger: as they are, they fit no link.
  return jsonbText(value) === jsonb ? canonicalJson(value) : jsonb;
}

/** As `jsonb` is printed, with the names in the order that it gave. */
function jsonbText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonbText).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}: ${jsonbText(field)}`);
  return `{${fields.join(', ')}}`;
}

/** One page of a list, and the list object that it is answered in. */

/** A list that can be read on from any of its rows; what arrives meanwhile shifts nothing. */
export interface Listing<Row, Position> {
  /** Up to `limit` rows behind that position, or the first ones. */
  read: (page: { limit: number; after: Position | undefined }) => Promise<Row[]>;
  positionOf: (row: Row) => Position;
  cursorOf: (position: Position) => string;
}

/** The same with the record that callers see of a row. */
export interface ShownListing<Row, Position, Shown> extends Listing<Row, Position> {
  present: (row: Row) => Shown;
}

export interface Page<Row> {
  rows: Row[];
  nextCursor: string | null;
}

/** Reads one row more than asked for, which shows whether there are more. */
export async function readPage<Row, Position>(
  { read, positionOf, cursorOf }: Listing<Row, Position>,
  { limit, after }: { limit: number; after: Position | undefined },
): Promise<Page<Row>> {
  const found = await read({ limit: limit + 1, after });
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, nextCursor: found.length > limit && last !== undefined ? cursorOf(positionOf(last)) : null };
}

/** The answer of a list in JSON. */
export const listObject = <Row, Shown>({ rows, nextCursor }: Page<Row>, present: (row: Row) => Shown) => ({
  object: 'list' as const,
  data: rows.map(present),
  has_more: nextCursor !== null,
  next_cursor: nextCursor,
});

/** One page of a list, and the list object that it is answered in. */

/** A list that can be read on from any of its rows; what arrives meanwhile shifts nothing. */
export interface Listing<Row, Place> {
  /** Up to `limit` rows behind that place, or the first ones. */
  read: (page: { limit: number; after: Place | undefined }) => Promise<Row[]>;
  placeOf: (row: Row) => Place;
  cursorOf: (place: Place) => string;
}

/** The same with the record that callers see of a row. */
export interface ShownListing<Row, Place, Shown> extends Listing<Row, Place> {
  present: (row: Row) => Shown;
}

export interface Page<Row> {
  rows: Row[];
  nextCursor: string | null;
}

/** Reads one row more than asked for, which shows whether there are more. */
export async function readPage<Row, Place>(
  { read, placeOf, cursorOf }: Listing<Row, Place>,
  { limit, after }: { limit: number; after: Place | undefined },
): Promise<Page<Row>> {
  const found = await read({ limit: limit + 1, after });
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, nextCursor: found.length > limit && last !== undefined ? cursorOf(placeOf(last)) : null };
}

/** The answer of a list in JSON. */
export const listObject = <Row, Shown>({ rows, nextCursor }: Page<Row>, present: (row: Row) => Shown) => ({
  object: 'list' as const,
  data: rows.map(present),
  has_more: nextCursor !== null,
  next_cursor: nextCursor,
});

/**
 * A list as its caller wants it: JSON, or CSV by `Accept: text/csv`. A CSV without `limit` and `cursor` is the whole
 * list, read page by page as fast as the caller takes it; no connection to the database is held between the pages.
 */
import { Readable } from 'node:stream';
import type { ApiContext } from '../context.ts';
import { byteOrderMark, csvHeader, csvLine } from '../presenters/csv.ts';
import { written } from '../operation.ts';
import { listObject, type Page, readPage, type ShownListing } from './list-page.ts';
import { pageRowsDefault } from './list-query.ts';

/** What was asked of a list: one page if either is named. */
export interface PageQuery<Position> {
  limit?: number | undefined;
  cursor?: Position | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

export interface CsvForm {
  /** What the file's name says of it. */
  name: string;
  columns: readonly string[];
  /** Of the amounts of every row: the last column. */
  currency: string;
  /** Rows of the pages in which a whole list is read. */
  pageRows: number;
  /** A download of the console: it begins with a mark by which spreadsheets know UTF-8. */
  isDownload?: boolean;
}

const csvType = 'text/csv; charset=utf-8';

/** Returns one page, unless CSV is wanted: that is written, all there is of it if no page is asked for. */
export async function answerList<Row, Position, Shown extends Fields>(
  ctx: ApiContext,
  listing: ShownListing<Row, Position, Shown>,
  { limit, cursor }: PageQuery<Position>,
  csv: CsvForm,
) {
  ctx.vary('Accept');
  const isCsv = wantsCsv(ctx);
  const isWhole = isCsv && limit === undefined && cursor === undefined;
  if (isWhole) {
    await answerWholeCsv(ctx, listing, csv);
    return written;
  }
  const page = await readPage(listing, { limit: limit ?? pageRowsDefault, after: cursor });
  if (!isCsv) return listObject(page, listing.present);
  if (page.nextCursor !== null) ctx.set('Link', `<${nextAddress(ctx, page)}>; rel="next"`);
  answerCsv(ctx, headerOf(csv) + csvLines(listing, csv, page.rows), csv);
  return written;
}

/** Answers with all there is as CSV, whatever the caller says that it takes. */
export async function answerWholeCsv<Row, Position>(
  ctx: ApiContext,
  listing: ShownListing<Row, Position, Fields>,
  csv: CsvForm,
): Promise<void> {
  // The first page is read before the answer begins, so that what goes wrong with it has its own status.
  const first = await listing.read({ limit: csv.pageRows, after: undefined });
  answerCsv(ctx, Readable.from(csvPages(listing, csv, first), { objectMode: false }), csv);
}

/** The header line and one piece of text a page. */
async function* csvPages<Row, Position>(
  listing: ShownListing<Row, Position, Fields>,
  csv: CsvForm,
  first: Row[],
): AsyncGenerator<string> {
  let rows = first;
  yield headerOf(csv) + csvLines(listing, csv, rows);
  for (let last = rows.at(-1); last !== undefined && rows.length === csv.pageRows; last = rows.at(-1)) {
    rows = await listing.read({ limit: csv.pageRows, after: listing.positionOf(last) });
    if (rows.length > 0) yield csvLines(listing, csv, rows);
  }
}

const csvLines = <Row>(
  { present }: Pick<ShownListing<Row, never, Fields>, 'present'>,
  { columns, currency }: CsvForm,
  rows: readonly Row[],
): string => rows.map((row) => csvLine([...columns, 'currency'], { ...present(row), currency })).join('');

const headerOf = ({ columns, isDownload = false }: CsvForm): string =>
  (isDownload ? byteOrderMark : '') + csvHeader([...columns, 'currency']);

/** Answers a CSV as a file to be saved. A stream that fails is broken off by Koa, so that what came of it can't be taken for all. */
export function answerCsv(ctx: ApiContext, body: string | Readable, { name }: Pick<CsvForm, 'name'>): void {
  ctx.body = body;
  ctx.set({
    'Content-Type': csvType, // after the body: Koa takes a stream for octets
    'Content-Disposition': `attachment; filename="tollgate-${name}-${new Date().toISOString().slice(0, 10)}.csv"`,
  });
}

/** JSON wins where the caller likes both equally; parameters of `text/csv` (RFC 7111, RFC 4180) are taken as ours. */
function wantsCsv(ctx: ApiContext): boolean {
  const chosen = ctx.accepts('application/json', 'text/csv', csvType, 'text/csv; header=present');
  return typeof chosen === 'string' && chosen.startsWith('text/csv');
}

function nextAddress<Row>(ctx: ApiContext, { nextCursor }: Page<Row>): string {
  const query = new URLSearchParams(ctx.querystring);
  query.set('cursor', nextCursor ?? '');
  return `${ctx.path}?${query.toString()}`;
}

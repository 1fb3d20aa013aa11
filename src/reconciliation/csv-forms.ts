/**
 * CSV files of usage and bills: the consoles of Anthropic and Volcengine (Ark), and any other by a mapping of its columns.
 * Rows are read one after the other, so that only what is compared is held.
 */
import type { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import type { BillColumn } from '../domain/catalogue.ts';
import { parseDecimal, type Decimal } from '../domain/exact-decimal.ts';
import type { BilledExport, BilledRow, TokenSums } from '../domain/reconciliation/billed-row.ts';
import { ExportFault, rowsMax } from './export-fault.ts';

/** A row is a line of a bill; a file whose quotes don't close would be one row. */
const rowBytesMax = 64 * 1024;

type Cells = Readonly<Record<string, string>>;
type ReadRow = (cells: Cells) => Omit<BilledRow, 'place'> & { currency?: string };

interface CsvForm {
  form: string;
  dayOffsetMinutes: number;
  costDecimals?: number;
  read: ReadRow;
}

/** Reads a file. `columns` are the provider's own names; those that it leaves out are called as above. */
export async function readCsvExport(
  source: Readable,
  columns: Readonly<Partial<Record<BillColumn, string>>> | undefined,
): Promise<BilledExport> {
  const parser = parse({
    bom: true,
    columns: (header: string[]) => header.map((name) => name.trim()),
    delimiter: [',', ';', '\t'],
    max_record_size: rowBytesMax,
    relax_column_count: false,
    skip_empty_lines: true,
    trim: true,
  });
  source.on('error', (error) => parser.destroy(error));
  source.pipe(parser);
  let form: CsvForm | undefined;
  const currencies = new Set<string>();
  const rows: BilledRow[] = [];
  try {
    for await (const cells of parser as AsyncIterable<Cells>) {
      form ??= formOf(Object.keys(cells), columns);
      const place = `row ${rows.length + 1}`;
      if (rows.length === rowsMax) throw new ExportFault(`the file has more than ${rowsMax} rows`);
      const { currency, ...row } = readRow(form, cells, place);
      if (currency !== undefined) currencies.add(currency);
      rows.push({ ...row, place });
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('CSV_'))
      throw new ExportFault(`row ${rows.length + 1}: ${error.message}`);
    throw error;
  }
  if (!form) throw new ExportFault('the file has no rows');
  if (currencies.size > 1) throw new ExportFault(`costs are in several currencies: ${[...currencies].join(', ')}`);
  const { costDecimals, dayOffsetMinutes } = form;
  return {
    ...{ form: form.form, currency: [...currencies][0], rows, dayOffsetMinutes },
    ...(costDecimals !== undefined && { costDecimals }),
  };
}

function readRow({ read }: CsvForm, cells: Cells, place: string): ReturnType<ReadRow> {
  try {
    return read(cells);
  } catch (error) {
    if (error instanceof RangeError) throw new ExportFault(`${place}: ${error.message}`);
    throw error;
  }
}

function formOf(header: readonly string[], columns: Partial<Record<BillColumn, string>> | undefined): CsvForm {
  const has = (name: string) => header.includes(name);
  if (!columns && has('usage_date_utc') && has('usage_input_tokens_no_cache')) return anthropicUsage;
  if (!columns && has('usage_date_utc') && has('cost_usd')) return anthropicCosts;
  if (!columns && arkColumns.cost.some(has)) return arkBill(header);
  return generic(header, columns ?? {});
}

function generic(header: readonly string[], columns: Partial<Record<BillColumn, string>>): CsvForm {
  const nameOf = (column: BillColumn) => columns[column] ?? column;
  for (const column of ['time', 'cost'] as const) {
    if (header.includes(nameOf(column))) continue;
    const own = columns[column] === undefined ? " (or the provider's reconcile.columns must name another)" : '';
    throw new ExportFault(
      `there is no column ${nameOf(column)}${own}; the columns are ${header.slice(0, 30).join(', ')}`,
    );
  }
  return {
    form: 'CSV',
    dayOffsetMinutes: 0,
    read: (cells) => {
      const text = (column: BillColumn) => cells[nameOf(column)] ?? '';
      const tokens = (column: BillColumn) => optionalCount(text(column), nameOf(column));
      return {
        at: timeOf(text('time'), nameOf('time'), 'Z'),
        ...named({ id: text('request_id'), model: text('model'), key: text('key') }),
        tokens: present({
          input: tokens('input_tokens'),
          cachedInput: tokens('cached_input_tokens'),
          cacheWrite: tokens('cache_write_tokens'),
          output: tokens('output_tokens'),
        }),
        ...costOf(text('cost'), nameOf('cost'), text('currency')),
      };
    },
  };
}

const anthropicUsage: CsvForm = {
  form: 'Anthropic console usage',
  dayOffsetMinutes: 0,
  read: (cells) => {
    const tokens = (column: string) => optionalCount(cells[column] ?? '', column) ?? 0;
    const cachedInput = tokens('usage_input_tokens_cache_read');
    const cacheWrite = tokens('usage_input_tokens_cache_write_5m') + tokens('usage_input_tokens_cache_write_1h');
    return {
      at: timeOf(cells['usage_date_utc'] ?? '', 'usage_date_utc', 'Z'),
      ...named({ model: cells['model_version'], key: cells['api_key'] }),
      tokens: {
        input: tokens('usage_input_tokens_no_cache') + cachedInput + cacheWrite,
        cachedInput,
        cacheWrite,
        output: tokens('usage_output_tokens'),
      },
    };
  },
};

const anthropicCosts: CsvForm = {
  form: 'Anthropic console costs',
  dayOffsetMinutes: 0,
  costDecimals: 2,
  read: (cells) => ({
    at: timeOf(cells['usage_date_utc'] ?? '', 'usage_date_utc', 'Z'),
    ...named({ model: cells['model'], key: cells['api_key'] }),
    tokens: {},
    ...costOf(cells['cost_usd'] ?? '', 'cost_usd', 'USD'),
  }),
};

/**
 * The bill of Volcengine's expense centre, of which Ark is a product. Its columns are in Chinese and differ between the kinds
 * of bill; the first of these that a file has is taken. Unverified: made after its documentation, not after a file.
 */
const arkColumns = {
  time: ['消费开始时间', '消费时间', '账单日期', '日期'],
  id: ['请求ID', '任务ID'],
  model: ['模型名称', '配置名称', '实例名称', '计费项'],
  cost: ['应付金额', '优惠后金额', '折后价'],
  currency: ['币种'],
} as const;

function arkBill(header: readonly string[]): CsvForm {
  const columnOf = (what: keyof typeof arkColumns) => arkColumns[what].find((name) => header.includes(name));
  const [time, id, model, cost, currency] = (['time', 'id', 'model', 'cost', 'currency'] as const).map(columnOf);
  if (time === undefined || cost === undefined)
    throw new ExportFault(`there is no column of the time; one of ${arkColumns.time.join(', ')} is needed`);
  const cell = (cells: Cells, name: string | undefined) => (name === undefined ? '' : (cells[name] ?? ''));
  return {
    form: 'Ark bill',
    // Its days and times are those of Beijing.
    dayOffsetMinutes: 480,
    read: (cells) => {
      const written = cell(cells, currency);
      return {
        at: timeOf(cell(cells, time), time, '+08:00'),
        ...named({ id: cell(cells, id), model: cell(cells, model) }),
        tokens: {},
        ...costOf(cell(cells, cost), cost, written === '' || written === '人民币' ? 'CNY' : written),
      };
    },
  };
}

/** A time without a zone is of `zone`. Throws a RangeError. */
function timeOf(text: string, column: string, zone: 'Z' | '+08:00'): Date {
  const match =
    /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[T ](\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?) ?(Z|[+-]\d{2}:?\d{2}|UTC)?)?$/i.exec(
      text,
    );
  const [, year = '', month = '', day = '', time = '00:00', own] = match ?? [];
  const offset = own === undefined ? zone : own.toUpperCase() === 'UTC' ? 'Z' : own;
  const date = new Date(`${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}T${time.padStart(5, '0')}${offset}`);
  if (match && !Number.isNaN(date.getTime())) return date;
  throw new RangeError(`${column} must be a time in ISO 8601, and is '${text.slice(0, 40)}'`);
}

function optionalCount(text: string, column: string): number | undefined {
  if (text === '') return undefined;
  const plain = text.replace(/(?<=\d),(?=\d{3})/g, '').replace(/\.0+$/, '');
  if (/^\d{1,15}$/.test(plain)) return Number(plain);
  throw new RangeError(`${column} must be a whole number, and is '${text.slice(0, 40)}'`);
}

function costOf(text: string, column: string, currency: string): { cost?: Decimal; currency?: string } {
  const cost = parseDecimal(text.replace(/^[$¥￥]\s*/, '').replace(/(?<=\d),(?=\d{3}(?:\D|$))/g, ''));
  if (!cost) throw new RangeError(`${column} must be a decimal number, and is '${text.slice(0, 40)}'`);
  return { cost, ...(currency !== '' && { currency: currency.toUpperCase() }) };
}

/** The texts that are not empty. */
function named<Names extends string>(texts: Record<Names, string | undefined>): Partial<Record<Names, string>> {
  const given = Object.entries<string | undefined>(texts).filter(([, text]) => text !== undefined && text !== '');
  return Object.fromEntries(given) as Partial<Record<Names, string>>;
}

function present(tokens: Record<keyof TokenSums, number | undefined>): Partial<TokenSums> {
  return Object.fromEntries(Object.entries(tokens).filter(([, count]) => count !== undefined));
}

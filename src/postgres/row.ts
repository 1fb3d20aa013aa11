/** Rows, each declared once: the declaration gives the row's type, its columns for SELECT, and its parse. */
import * as z from 'zod';
import { micros, type Money } from '../domain/money.ts';

/** What a statement reads of a table, and the value that is made of it. */
export interface Row<Value> {
  /** For SELECT and RETURNING, each under the name of its key. */
  readonly columns: string;
  /** The same where the table has an alias; computed columns stay as they are. */
  columnsOf(alias: string): string;
  /** Throws a `ZodError` that names the keys, not what they hold. Other columns are ignored. */
  parse(read: unknown): Value;
  safeParse(read: unknown): z.ZodSafeParseResult<Value>;
  /** The same columns, with another value made of them. */
  as<Other>(make: (value: Value) => Other): Row<Other>;
}

export type RowOf<R> = R extends Row<infer Value> ? Value : never;

/**
 * Declares a row by its columns: each key in camelCase is the column of that name in snake_case, unless it is `computed`.
 * A statement returns each column under its key, so that the parse renames nothing: for the 27 columns of a key that took
 * longer than all of its checks.
 */
export function row<Columns extends Record<string, Column>>(columns: Columns): Row<ColumnValues<Columns>> {
  const listed = Object.entries(columns).map(([key, column]) => ({ key, ...columnOf(column) }));
  const schema = z.object(Object.fromEntries(listed.map(({ key, type }) => [key, type])));
  const list = (prefix: string) =>
    listed.map(({ key, sql }) => selected(key, sql ?? `${prefix}${columnName(key)}`)).join(', ');
  return rowOf({
    columns: list(''),
    columnsOf: (alias) => list(`${alias}.`),
    // The schema has a type for each key.
    parse: (read) => schema.parse(read) as ColumnValues<Columns>,
    safeParse: (read) => schema.safeParse(read) as z.ZodSafeParseResult<ColumnValues<Columns>>,
  });
}

const selected = (key: string, sql: string): string =>
  sql === key || sql.endsWith(`.${key}`) ? sql : `${sql} as "${key}"`;

/** The name of a key's column: `hold_amount` of `holdAmount`. */
export const columnName = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A column that is computed: `computed('count(*)::int', z.int())`. */
export const computed = <Type extends z.ZodType>(sql: string, type: Type): Computed<Type> => ({ sql, type });

/** An id of text. Its form is checked where it enters, so that a row's is only named. */
export const id = <Id extends string>(): z.ZodType<Id> => z.string() as z.ZodType as z.ZodType<Id>;

/** Micro-units in a `bigint`. */
export const money: z.ZodType<Money> = z.bigint() as z.ZodType as z.ZodType<Money>;

/** Micro-units as text, for sums (`numeric`) and JSON. */
export const moneyDigits = z.string().transform((digits) => micros(BigInt(digits)));

/** Whole milliseconds in a `bigint`. */
export const milliseconds = z.bigint().transform(Number);

export const bytes = z.instanceof(Buffer);

/** Some of the columns of a table, for a statement that reads only these. */
export function pick<Columns, Key extends keyof Columns>(columns: Columns, ...keys: Key[]): Pick<Columns, Key> {
  const picked: Partial<Pick<Columns, Key>> = {};
  for (const key of keys) picked[key] = columns[key];
  return picked as Pick<Columns, Key>; // it has each of the keys
}

export interface Computed<Type extends z.ZodType = z.ZodType> {
  sql: string;
  type: Type;
}

type Column = z.ZodType | Computed;
type TypeOf<C extends Column> =
  C extends Computed<infer Type> ? z.output<Type> : C extends z.ZodType ? z.output<C> : never;
export type ColumnValues<Columns extends Record<string, Column>> = { [Key in keyof Columns]: TypeOf<Columns[Key]> };

const columnOf = (column: Column): { type: z.ZodType; sql?: string } =>
  column instanceof z.ZodType ? { type: column } : column;

const rowOf = <Value>(declared: Omit<Row<Value>, 'as'>): Row<Value> => ({
  ...declared,
  as: (make) =>
    rowOf({
      ...declared,
      parse: (read) => make(declared.parse(read)),
      safeParse: (read) => mapped(declared.safeParse(read), make),
    }),
});

function mapped<From, To>(result: z.ZodSafeParseResult<From>, make: (value: From) => To): z.ZodSafeParseResult<To> {
  if (!result.success) return { success: false, error: result.error as z.ZodError as z.ZodError<To> };
  try {
    return { success: true, data: make(result.data) };
  } catch (error) {
    if (error instanceof z.ZodError) return { success: false, error: error as z.ZodError<To> }; // of JSON that `make` parses
    throw error;
  }
}

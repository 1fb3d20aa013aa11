/** Rows that a scan reads: one that can't be read, as after a release was rolled back or a row was edited, stops no other. */
import * as z from 'zod';
import { columnName, type Row } from './row.ts';

export interface UnreadableRow {
  id: string;
  /** Which columns, and what they must be; never what they hold. */
  fault: string;
}

export type OnUnreadable = (row: UnreadableRow) => void;

const faultCharactersMax = 300;

/** The rows that fit the declaration; the others are reported. */
export function readableRows<Value>(
  declared: Row<Value>,
  rows: readonly unknown[],
  onUnreadable: OnUnreadable = raise,
): Value[] {
  return rows.flatMap((row) => {
    const read = declared.safeParse(row);
    if (read.success) return [read.data];
    const named = idRow.safeParse(row);
    onUnreadable({ id: named.success ? named.data.id : 'without an id', fault: faultOf(read.error) });
    return [];
  });
}

/** What is wrong with a row, or undefined. */
export function faultOfRow(declared: Row<unknown>, row: unknown): string | undefined {
  const { error } = declared.safeParse(row);
  return error && faultOf(error);
}

function faultOf({ issues }: z.ZodError): string {
  const text = issues
    .map(({ path: [key, ...inside], message }) => `${[columnName(String(key)), ...inside].join('.')}: ${message}`)
    .join('; ');
  return text.slice(0, faultCharactersMax);
}

function raise({ id, fault }: UnreadableRow): never {
  throw new Error(`the row ${id} can't be read: ${fault}`);
}

const idRow = z.object({ id: z.string() });

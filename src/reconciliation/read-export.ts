/** A vendor's usage or billing file, whichever form it has. */
import { open } from 'node:fs/promises';
import type { BillColumn } from '../domain/catalogue.ts';
import { isUnreadable, parseJsonWithin } from '../domain/json/json-bounds.ts';
import type { BilledExport } from '../domain/reconciliation/billed-row.ts';
import { readCsvExport } from './csv-forms.ts';
import { ExportFault } from './export-fault.ts';
import { readJsonExport } from './json-forms.ts';

/** CSV is read as it comes, JSON as a whole. */
const csvBytesMax = 1024 * 1024 * 1024;
const jsonBytesMax = 128 * 1024 * 1024;
const jsonValuesMax = 10_000_000;

/** Reads a file. Throws an ExportFault for what can't be used of it, and the system's error if it can't be opened. */
export async function readExport(
  file: string,
  columns: Readonly<Partial<Record<BillColumn, string>>> | undefined,
): Promise<BilledExport> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(64), 0, 64, 0);
    const start = buffer
      .toString('utf8', 0, bytesRead)
      .replace(/^\uFEFF/, '')
      .trimStart();
    const isJson = start.startsWith('{') || start.startsWith('[');
    const max = isJson ? jsonBytesMax : csvBytesMax;
    if (size > max) throw new ExportFault(`the file is larger than ${max / 1024 / 1024} MiB; export a shorter period`);
    if (isJson) return readJsonExport(parsePages((await handle.readFile('utf8')).replace(/^\uFEFF/, '')));
    return await readCsvExport(handle.createReadStream({ start: 0, autoClose: false }), columns);
  } finally {
    await handle.close();
  }
}

/** One value, or one a line. */
function parsePages(text: string): unknown {
  try {
    return parseJsonWithin(text, jsonValuesMax);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw asFault(error);
  }
  return text.split('\n').flatMap((line, index): unknown => {
    if (line.trim() === '') return [];
    try {
      return [parseJsonWithin(line, jsonValuesMax)];
    } catch (error) {
      throw isUnreadable(error) ? new ExportFault(`line ${index + 1} is not JSON`) : error;
    }
  });
}

const asFault = (error: unknown): unknown =>
  isUnreadable(error) ? new ExportFault(`the JSON has more than ${jsonValuesMax} values`) : error;

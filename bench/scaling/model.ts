/**
 * The model of docs/scaling.md: prints its tables, or writes them into the page.
 *
 *   npm run bench model [-- --write | --set taskTemporalMs=11 --set flushMs=2]
 */
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { say } from '../report.ts';
import { type FigureName, figureNames, type Figures, valuesOf } from './figures.ts';
import { pageFile, withTables } from './page.ts';
import { tables } from './tables.ts';

/** Prints all tables; with `--set` for other figures, with `--write` into the page instead. */
export async function runModel(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({
    args: [...args],
    options: { set: { type: 'string', multiple: true, default: [] }, write: { type: 'boolean', default: false } },
  });
  if (values.write && values.set.length > 0)
    throw new Error('--write takes the figures of bench/scaling/figures.ts alone');
  const printed = printedTables(valuesOf(replacedBy(values.set)));
  if (values.write) {
    await writeFile(pageFile, withTables(await readFile(pageFile, 'utf8'), printed));
    say(`Written into ${pageFile}`);
  } else {
    for (const [name, table] of Object.entries(printed)) process.stdout.write(`### ${name}\n\n${table}\n`);
  }
  return true;
}

export const printedTables = (figures: Figures): Record<string, string> =>
  Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, table(figures)]));

function replacedBy(settings: readonly string[]): Partial<Record<FigureName, number>> {
  const replaced: Partial<Record<FigureName, number>> = {};
  for (const setting of settings) {
    const [given = '', digits = ''] = setting.split('=');
    const name = figureNames.find((each) => each === given);
    const value = Number(digits);
    if (!name || digits.trim() === '' || !Number.isFinite(value) || value < 0) {
      throw new Error(`--set takes name=number, not '${setting}'; names: ${figureNames.join(', ')}`);
    }
    replaced[name] = value;
  }
  return replaced;
}

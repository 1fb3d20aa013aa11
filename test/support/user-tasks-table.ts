/** The table of the user's tasks in `docs/internals/console-scorecard.md`: what each took when it was last written down. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface UserTask {
  name: string;
  clicks: number;
  /** From the overview to the answer, as fast as the pages allow. */
  seconds: number;
}

const path = join(import.meta.dirname, '../../docs/internals/console-scorecard.md');
const begin = '<!-- Made by test/full/console/user-tasks.test.ts with TOLLGATE_SCREENSHOTS=1. -->';
const end = '<!-- end of the table -->';

/** Writes the table where TOLLGATE_SCREENSHOTS=1 is set; does nothing without, so that a test run changes no file. */
export async function writeUserTasks(tasks: readonly UserTask[]): Promise<void> {
  if (process.env['TOLLGATE_SCREENSHOTS'] !== '1') return;
  const { head, tail } = await parts();
  const rows = tasks.map(({ name, clicks, seconds }) => `| ${name} | ${clicks} | ${seconds.toFixed(1)} |`);
  const table = ['| task | clicks | seconds |', '| --- | ---: | ---: |', ...rows];
  await writeFile(path, `${head}${begin}\n\n${table.join('\n')}\n\n${end}${tail}`);
}

/** The names of the tasks that the page has a row for. */
export async function tasksOfTable(): Promise<string[]> {
  const { table } = await parts();
  return [...table.matchAll(/^\| ([^|]+?) \| \d+ \|/gm)].map(([, name = '']) => name);
}

/** The page, around its table. */
async function parts(): Promise<{ head: string; table: string; tail: string }> {
  const page = await readFile(path, 'utf8');
  const [head, rest, ...more] = page.split(begin);
  const [table, tail, ...others] = (rest ?? '').split(end);
  if (head === undefined || table === undefined || tail === undefined || more.length + others.length > 0) {
    throw new Error(`${path} has to have "${begin}" and "${end}" once each`);
  }
  return { head, table, tail };
}

/** What every benchmark leaves: a line of progress now and then, raw figures in a file, a Markdown table, and verdicts. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..');

/** Progress goes to stderr, so that stdout is nothing but the tables. */
export const say = (line: string): void => void process.stderr.write(`${line}\n`);

export interface RawFigures {
  /** Writes one record at once, so that an interrupted run keeps what it had. */
  keep(record: object): void;
  file: string;
}

/** A new file of JSON lines below `bench/.results`, which begins with the machine and the commit. */
export function openRawFigures(benchmark: string): RawFigures {
  const folder = join(root, 'bench', '.results');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${benchmark}-${new Date().toISOString().replaceAll(':', '-')}.jsonl`);
  const keep = (record: object) => appendFileSync(file, `${JSON.stringify(record)}\n`);
  keep({ benchmark, ...machine(), commit: commit() });
  return { keep, file };
}

/** What figures depend on besides the program. */
export function machine(): { cores: number; cpu: string; memoryGB: number; node: string } {
  const [first] = cpus();
  const memoryGB = Math.round(totalmem() / 2 ** 30);
  return { cores: cpus().length, cpu: first?.model.trim() ?? 'unknown', memoryGB, node: process.version };
}

/** The commit that is measured, with a `+` if files differ from it; without Git, `unknown`. */
export function commit(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') === '' ? '' : '+');
  } catch {
    return 'unknown';
  }
}

/** A Markdown table; all columns but the first are figures and stand to the right. */
export function markdownTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = titles.map((_, index) => (index === 0 ? '---' : '---:'));
  return [titles, rule, ...rows].map(line).join('\n') + '\n';
}

export interface Verdict {
  holds: boolean;
  words: string;
}

/** Prints what was promised and whether it holds; returns whether all does. */
export function printVerdicts(verdicts: readonly Verdict[]): boolean {
  for (const { holds, words } of verdicts) process.stdout.write(`- ${holds ? 'good' : 'WRONG'}: ${words}\n`);
  return verdicts.every(({ holds }) => holds);
}

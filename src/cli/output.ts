/** What commands print: objects for scripts, lines for people; everything besides goes to stderr. */

/** A command that can't be carried out, reported in one line; exit code 1. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** A process of this command has ended with this exit code, and has reported why. */
export class ReportedEnd extends Error {
  override readonly name = 'ReportedEnd';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`ended with the exit code ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/** Prints one line for people, or the object with `--json`. */
export function show(object: unknown, asJson: boolean | undefined, line: string): void {
  print(asJson === true ? JSON.stringify(object) : line);
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints a line to stderr, so that stdout has results only. */
export function printError(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Rows of cells as aligned columns. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

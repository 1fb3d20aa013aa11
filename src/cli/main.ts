/** The command line: `tollgate <command>`. */
import { CommanderError } from 'commander';
import { SettingsError } from '../config/setting-errors.ts';
import { tell } from './output.ts';
import { tollgateProgram } from './program.ts';

// Who reads with `head` or quits a pager has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

// Without waiting for what may still be open: native workers keep timers for some seconds. Nothing of ours is left.
process.exit(
  await tollgateProgram()
    .parseAsync()
    .then(
      () => 0,
      (error: unknown) => exitCodeOf(error),
    ),
);

/** 0 for help, 2 for bad usage and bad settings, 1 for everything else; each told in plain words. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2; // commander has told it
  if (error instanceof SettingsError) {
    tell(error.message);
    return 2;
  }
  tell(inWords(error));
  return 1;
}

/** What is wrong outside is told by its message; a stack is for mistakes of this program. */
function inWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isOurMistake = [TypeError, RangeError, ReferenceError].some((kind) => error instanceof kind);
  if (isOurMistake || process.env['LOG_LEVEL'] === 'debug') return error.stack ?? error.message;
  if (error instanceof AggregateError && error.message === '') return error.errors.map(inWords).join('; ');
  return error.message === '' ? error.name : error.message;
}

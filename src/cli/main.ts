/** The command line: `tollgate <command>`. */
import { CommanderError } from 'commander';
import { SettingsError } from '../config/setting-errors.ts';
import { growBetweenCollections } from '../runtime/heap-growth.ts';
import { nameSources } from '../runtime/source-stacks.ts';
import { connectionFault } from './connection-fault.ts';
import { printError, ReportedEnd } from './output.ts';
import { tollgateProgram } from './program.ts';

growBetweenCollections();
nameSources();

// The reader was `head`, or a pager that was quit: it wants no more.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

// Without waiting for what may still be open: native workers keep timers for some seconds. Nothing of ours is left.
process.exit(
  await tollgateProgram(process.argv[2])
    .then((program) => program.parseAsync())
    .then(
      () => 0,
      (error: unknown) => exitCodeOf(error),
    ),
);

/** 0 for help, 2 for bad usage and bad settings, 1 for everything else; each reported in plain words. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2; // commander has printed it
  if (error instanceof ReportedEnd) return error.exitCode;
  if (error instanceof SettingsError) {
    printError(error.message);
    return 2;
  }
  printError(inWords(error));
  return 1;
}

/** Returns the message of an error from outside, and the stack of a bug in this program. */
function inWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isOurMistake = [TypeError, RangeError, ReferenceError].some((kind) => error instanceof kind);
  if (isOurMistake || process.env['LOG_LEVEL'] === 'debug') return error.stack ?? error.message;
  const fault = connectionFault(error);
  if (fault !== undefined) return fault;
  if (error instanceof AggregateError && error.message === '') return error.errors.map(inWords).join('; ');
  return error.message === '' ? error.name : error.message;
}

/** The command line: `tollgate <command>`. */
import { Command, CommanderError } from 'commander';
import { SettingsError } from '../settings/mistakes.ts';
import { addAccountCommands } from './commands/accounts.ts';
import { addActCommands } from './commands/acts.ts';
import { addAuditCommand } from './commands/audit.ts';
import { addDemoCommand } from './commands/demo.ts';
import { addKeyCommands } from './commands/keys.ts';
import { addModelCommands } from './commands/models.ts';
import { addPeopleCommands } from './commands/people.ts';
import { addServerCommands } from './commands/servers.ts';
import { addStartCommand } from './commands/start.ts';
import { addTaskCommands } from './commands/tasks.ts';
import { addWebhookCommands } from './commands/webhooks.ts';
import { tell } from './output.ts';

const program = new Command('tollgate')
  .description('A gateway to language, image and video models with durable tasks and a prepaid ledger.')
  .version('0.1.0')
  .exitOverride();
addStartCommand(program);
addServerCommands(program);
addAccountCommands(program);
addKeyCommands(program);
addModelCommands(program);
addTaskCommands(program);
addWebhookCommands(program);
addPeopleCommands(program);
addActCommands(program);
addAuditCommand(program);
addDemoCommand(program);

// Without waiting for what may still be open: native workers keep timers for some seconds. Nothing of ours is left.
process.exit(
  await program.parseAsync().then(
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

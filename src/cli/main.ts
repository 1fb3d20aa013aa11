/** The command line: `tollgate <command>`. */
import { Command, CommanderError } from 'commander';
import { GatewayError } from '../domain/errors.ts';
import { FolderInUse } from '../embedded/data-folder-lock.ts';
import { SettingsError } from '../settings/mistakes.ts';
import { addAccountCommands } from './commands/accounts.ts';
import { addDemoCommand } from './commands/demo.ts';
import { addKeyCommands } from './commands/keys.ts';
import { addServerCommands } from './commands/servers.ts';
import { addStartCommand } from './commands/start.ts';
import { Refusal, tell } from './output.ts';

const program = new Command('tollgate')
  .description('A gateway to language, image and video models with durable tasks and a prepaid ledger.')
  .version('0.1.0')
  .exitOverride();
addStartCommand(program);
addServerCommands(program);
addAccountCommands(program);
addKeyCommands(program);
addDemoCommand(program);

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

/** 0 for help, 2 for bad usage and bad settings, 1 for everything else; each told in plain words. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2; // commander has told it
  if (error instanceof SettingsError) {
    tell(error.message);
    return 2;
  }
  const plain = error instanceof Refusal || error instanceof FolderInUse || error instanceof GatewayError;
  tell(
    plain || !(error instanceof Error)
      ? String(plain && error instanceof Error ? error.message : error)
      : (error.stack ?? error.message),
  );
  return 1;
}

/** Every command of `tollgate` with its options, as one program that does nothing until it is asked to. */
import { Command } from 'commander';
import { version } from '../version.ts';
import { addAccountCommands } from './commands/accounts.ts';
import { addActCommands } from './commands/acts.ts';
import { addAuditCommand } from './commands/audit.ts';
import { addBatchCommands } from './commands/batches.ts';
import { addCodecCommand } from './commands/codec.ts';
import { addDemoCommand } from './commands/demo.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addKeyCommands } from './commands/keys.ts';
import { addModelCommands } from './commands/models.ts';
import { addPeopleCommands } from './commands/people.ts';
import { addReportCommand } from './commands/report.ts';
import { addReconcileCommand } from './commands/reconcile.ts';
import { addServerCommands } from './commands/servers.ts';
import { addStartCommand } from './commands/start.ts';
import { addTaskCommands } from './commands/tasks.ts';
import { addWebhookCommands } from './commands/webhooks.ts';
import { addWriteOffCommands } from './commands/write-offs.ts';

/** Raises a CommanderError where it would end the process: after help, after the version, and for bad usage. */
export function tollgateProgram(): Command {
  const program = new Command('tollgate')
    .description('A gateway to language, image and video models with durable tasks and prepaid billing.')
    .version(version)
    .exitOverride();
  addStartCommand(program);
  addServerCommands(program);
  addAccountCommands(program);
  addKeyCommands(program);
  addModelCommands(program);
  addTaskCommands(program);
  addBatchCommands(program);
  addWebhookCommands(program);
  addWriteOffCommands(program);
  addReportCommand(program);
  addPeopleCommands(program);
  addActCommands(program);
  addAuditCommand(program);
  addReconcileCommand(program);
  addDoctorCommand(program);
  addCodecCommand(program);
  addDemoCommand(program);
  return program;
}

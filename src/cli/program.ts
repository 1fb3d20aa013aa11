/** Every command of `tollgate` with its options, as one program that does nothing until it is asked to. */
import { Command } from 'commander';
import { version } from '../version.ts';

/** Commands that come from one file, by the first words that lead to them. */
interface Group {
  names: readonly string[];
  load: () => Promise<(program: Command) => void>;
}

/** In the order of `tollgate --help`. */
const groups: readonly Group[] = [
  { names: ['start'], load: async () => (await import('./commands/start.ts')).addStartCommand },
  { names: ['api', 'worker', 'migrate'], load: async () => (await import('./commands/servers.ts')).addServerCommands },
  { names: ['accounts'], load: async () => (await import('./commands/accounts.ts')).addAccountCommands },
  { names: ['keys'], load: async () => (await import('./commands/keys.ts')).addKeyCommands },
  { names: ['models'], load: async () => (await import('./commands/models.ts')).addModelCommands },
  { names: ['tasks'], load: async () => (await import('./commands/tasks.ts')).addTaskCommands },
  { names: ['batches'], load: async () => (await import('./commands/batches.ts')).addBatchCommands },
  { names: ['webhooks'], load: async () => (await import('./commands/webhooks.ts')).addWebhookCommands },
  { names: ['write-offs'], load: async () => (await import('./commands/write-offs.ts')).addWriteOffCommands },
  { names: ['report'], load: async () => (await import('./commands/report.ts')).addReportCommand },
  { names: ['people'], load: async () => (await import('./commands/people.ts')).addPeopleCommands },
  { names: ['acts'], load: async () => (await import('./commands/acts.ts')).addActCommands },
  { names: ['audit'], load: async () => (await import('./commands/audit.ts')).addAuditCommand },
  { names: ['reconcile'], load: async () => (await import('./commands/reconcile.ts')).addReconcileCommand },
  { names: ['doctor'], load: async () => (await import('./commands/doctor.ts')).addDoctorCommand },
  { names: ['codec'], load: async () => (await import('./commands/codec.ts')).addCodecCommand },
  { names: ['demo'], load: async () => (await import('./commands/demo.ts')).addDemoCommand },
];

/**
 * With the first word that it is called with, it has the commands of that word alone, and loads no other ones; with none, or
 * one that leads to nothing, it has all. Raises a CommanderError where it would end the process: after help, after the
 * version, and for bad usage.
 */
export async function tollgateProgram(word?: string): Promise<Command> {
  const program = new Command('tollgate')
    .description('A gateway to language, image and video models with durable tasks and prepaid billing.')
    .version(version)
    .exitOverride();
  const named = groups.filter(({ names }) => word !== undefined && names.includes(word));
  for (const { load } of named.length > 0 ? named : groups) (await load())(program);
  return program;
}

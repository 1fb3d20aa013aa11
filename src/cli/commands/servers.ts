/** `tollgate api`, `worker` and `migrate`: one role each, for production. */
import type { Command } from 'commander';

export function addServerCommands(program: Command): void {
  // Imported when needed: they bring Temporal's client and workers, for which the other commands would wait half a second.
  const roles = () => import('../roles/server-roles.ts');
  program
    .command('api')
    .description('run the API; uses DATABASE_URL and TEMPORAL_ADDRESS, or the gateway running on the data folder')
    .action(async () => (await roles()).runApi());
  program
    .command('worker')
    .description('run a worker; uses DATABASE_URL and TEMPORAL_ADDRESS, or the gateway running on the data folder')
    .action(async () => (await roles()).runWorker());
  program
    .command('migrate')
    .description("migrate the database and register Temporal's search attributes; safe to run concurrently")
    .action(async () => (await import('../roles/migrate-role.ts')).runMigration());
}

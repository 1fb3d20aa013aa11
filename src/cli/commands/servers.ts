/** `tollgate api`, `worker` and `migrate`: one role each, for production. */
import cluster from 'node:cluster';
import type { Command } from 'commander';
import { wholeNumber } from '../options.ts';

/**
 * More than this machine may have cores, so that one command fits machines of any size; each takes up to 17 connections to
 * the database.
 */
const processes = wholeNumber(64);

/**
 * Each role is imported when it is asked for: an API needs none of Temporal's workers, which would take it 15 MB, and a
 * worker none of the API.
 */
export function addServerCommands(program: Command): void {
  program
    .command('api')
    .description('run the API; uses DATABASE_URL and TEMPORAL_ADDRESS, or the gateway running on the data folder')
    .option('--processes <count>', 'serve with so many processes on one port, to use several cores', processes, 1)
    .action(async ({ processes }: { processes: number }) => {
      if (processes === 1 || cluster.isWorker) await (await import('../roles/run-api.ts')).runApi();
      else await (await import('../roles/api-processes.ts')).superviseApis(processes);
    });
  program
    .command('worker')
    .description('run a worker; uses DATABASE_URL and TEMPORAL_ADDRESS, or the gateway running on the data folder')
    .action(async () => (await import('../roles/run-worker.ts')).runWorker());
  program
    .command('migrate')
    .description("migrate the database and register Temporal's search attributes; safe to run concurrently")
    .action(async () => (await import('../roles/migrate-role.ts')).runMigration());
}

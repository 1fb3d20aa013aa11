/** `tollgate start`: everything in one process; what `npm start` runs. */
import type { Command } from 'commander';

export function addStartCommand(program: Command): void {
  program
    .command('start')
    .description('start everything in one process: API, worker and, where none is configured, database and Temporal')
    // Imported when needed: it brings Temporal's workers, for which the other commands would wait half a second.
    .action(async () => (await import('../roles/start-role.ts')).start());
}

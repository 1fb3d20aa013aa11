/** `npm run drill`: kills real processes under load, again and again, and prints which promises were kept. */
import { runScript, say } from './prepare.mjs';

await runScript(async () => {
  const { findTemporal } = await import('../dist/embedded/temporal-binary.js');
  const { register } = await import('tsx/esm/api');
  process.env.TOLLGATE_TEST_TEMPORAL_CLI = await findTemporal({ cliPath: process.env.TEMPORAL_CLI_PATH, say });
  register();
  const { main } = await import('../test/drills/main.ts');
  process.exit(await main(process.argv.slice(2))); // Temporal's client may keep the process alive
});

/** `npm start`: `tollgate start` in this very process, so that Ctrl-C reaches it. */
import { runScript } from './prepare.mjs';

await runScript(async () => {
  process.argv.splice(2, 0, 'start');
  await import('../dist/cli/main.js');
});

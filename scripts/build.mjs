/** `npm run build`: builds in any case; with `--if-stale` only where something has changed. */
import { runScript } from './prepare.mjs';

await runScript(() => undefined, { build: process.argv.includes('--if-stale') ? true : 'always' });

/** `npm run build`: builds in any case. */
import { runScript } from './prepare.mjs';

await runScript(() => undefined, { build: 'always' });

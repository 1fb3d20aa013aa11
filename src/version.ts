/** The version, which stands in package.json and nowhere else. */
import { readFileSync } from 'node:fs';
import * as z from 'zod';

const manifest = z.object({ version: z.string().min(1) });

/** Such as `0.1.0`. `src` and `dist` lie beside package.json alike. */
export const { version } = manifest.parse(
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')),
);

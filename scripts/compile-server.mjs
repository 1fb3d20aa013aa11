/**
 * Compiles the server: each file of `src` becomes one of `dist`, with a map to its source. Types are left out unread, in a
 * second where a compiler that checks them takes 15 and more; `npm run check` does that.
 */
import fs from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

const root = path.dirname(import.meta.dirname);
const source = path.join(root, 'src');

/** A file imports its neighbours by the names that they have in `dist`, and packages as it says. */
const oneByOne = {
  name: 'one by one',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ kind, path: name }) =>
      kind === 'entry-point' ? undefined : { path: name.replace(/\.ts$/, '.js'), external: true },
    );
  },
};

await build({
  entryPoints: fs
    .readdirSync(source, { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.join(source, name)),
  outbase: source,
  outdir: path.join(root, 'dist'),
  bundle: true, // of one file each, since all that they import stays outside: so the names of what they import can be changed
  treeShaking: false,
  packages: 'external',
  plugins: [oneByOne],
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  sourcemap: true,
  sourcesContent: false,
});

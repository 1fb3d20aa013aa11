/**
 * Compiles the server: each file of `src` becomes one of `dist`, with a map to its source, and the command `dist/cli/main.js`
 * gets all that it imports in a few larger ones, in `dist/program`. Loaded one by one, a gateway's six hundred files took a
 * fifth of the CPU of a start, and 10 MB. Types are left out unread, in a second where a compiler that checks them takes 15
 * and more; `npm run check` does that.
 */
import fs from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

const root = path.dirname(import.meta.dirname);
const source = path.join(root, 'src');
const output = path.join(root, 'dist');
const command = path.join(source, 'cli', 'main.ts');
/** What it imports; as deep in `dist` as the command is. */
const programFolder = 'program';

const options = {
  outbase: source,
  outdir: output,
  bundle: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  sourcemap: true,
  sourcesContent: false,
};

/** A file imports its neighbours by the names that they have in `dist`, and packages as it says. */
const oneByOne = {
  name: 'one by one',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ kind, path: name }) =>
      kind === 'entry-point' ? undefined : { path: name.replace(/\.ts$/, '.js'), external: true },
    );
  },
};

/** A module of the command knows itself to be where it lies alone: threads and other files are found from there. */
const inPlace = {
  name: 'in place',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path: file }) => {
      const text = await fs.promises.readFile(file, 'utf8');
      if (!text.includes('import.meta.url')) return undefined;
      const place = `../${path.relative(source, file).replaceAll(path.sep, '/').replace(/\.ts$/, '.js')}`;
      const own = `const ownUrl = new URL(${JSON.stringify(place)}, import.meta.url).href;`;
      return { contents: own + text.replaceAll('import.meta.url', 'ownUrl'), loader: 'ts' }; // no line is added
    });
  },
};

const files = fs
  .readdirSync(source, { recursive: true })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => path.join(source, name))
  .filter((file) => file !== command);
fs.rmSync(path.join(output, programFolder), { recursive: true, force: true });
await Promise.all([
  // Of one file each, since all that they import stays outside: so the names of what they import can be changed.
  build({ ...options, entryPoints: files, treeShaking: false, plugins: [oneByOne] }),
  build({
    ...options,
    entryPoints: [command],
    splitting: true, // a command loads what it needs
    chunkNames: `${programFolder}/[hash]`,
    plugins: [inPlace],
  }),
]);

/**
 * Makes JavaScript of test files and of all TypeScript that they import, once for a run. A loader of TypeScript takes a
 * process longer than its tests' modules do, and on Node 20 a thread of its own.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Writes it below the folder, and returns each file's path there. What lies in `src` is taken from `dist`, which is built of it. */
export async function compileTests(files, folder) {
  fs.mkdirSync(folder, { recursive: true });
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  const placeOf = (file) => path.join(folder, file.replace(/\.tsx?$/, '.mjs'));
  const seen = new Set();
  let next = files.map((file) => path.resolve(file));
  while (next.length > 0) {
    for (const file of next) seen.add(file);
    const imported = new Set();
    const options = {
      outdir: folder,
      outbase: path.parse(root).root,
      outExtension: { '.js': '.mjs' },
      bundle: true, // of one file each, since all that they import stays outside: so the names of what they import can be changed
      treeShaking: false,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      sourcemap: 'inline',
      sourcesContent: false,
      define: Object.fromEntries(Object.keys(ownPlaces('/')).map((name) => [`import.meta.${name}`, nameOf(name)])),
      plugins: [inPlace((file) => imported.add(file), placeOf)],
      logLevel: 'silent',
    };
    await buildWhatCan(next, options, placeOf);
    next = [...imported].filter((file) => !seen.has(file));
  }
  return (file) => placeOf(path.resolve(file));
}

/** A file that is no TypeScript leaves the others alone: loading it throws what is wrong, and where. */
async function buildWhatCan(files, options, placeOf) {
  if (files.length === 0) return;
  try {
    await build({ ...options, entryPoints: files });
  } catch (failure) {
    const broken = new Map(
      failure.errors?.map(({ text, location }) => [path.resolve(location?.file ?? ''), { text, location }]),
    );
    const others = files.filter((file) => !broken.has(file));
    if (others.length === files.length) throw failure;
    for (const [file, { text, location }] of broken) {
      const fault = `${location.file}:${location.line}: ${text}`;
      fs.mkdirSync(path.dirname(placeOf(file)), { recursive: true });
      fs.writeFileSync(placeOf(file), `throw new SyntaxError(${JSON.stringify(fault)});`);
    }
    await buildWhatCan(others, options, placeOf);
  }
}

/** A module imports files from where they are, and knows itself to be where it was written. */
const inPlace = (note, placeOf) => ({
  name: 'in place',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^/ }, ({ kind, path: name, resolveDir }) => {
      if (kind === 'entry-point') return undefined;
      if (!name.startsWith('.')) return { path: name, external: true };
      const file = path.resolve(resolveDir, name);
      return { path: pathToFileURL(importedPlace(file)).href, external: true };
    });
    onLoad({ filter: /\.tsx?$/ }, async ({ path: file }) => {
      const text = await fs.promises.readFile(file, 'utf8');
      const loader = file.endsWith('x') ? 'tsx' : 'ts';
      if (!text.includes('import.meta.')) return { contents: text, loader };
      const places = Object.entries(ownPlaces(file)).map(([name, place]) => `${nameOf(name)}=${JSON.stringify(place)}`);
      return { contents: `const ${places.join()};${text}`, loader }; // no line is added
    });
    const importedPlace = (file) => {
      if (!/\.tsx?$/.test(file) || !fs.existsSync(file)) return file;
      const inSource = path.relative(path.join(root, 'src'), file);
      if (!inSource.startsWith('..')) return path.join(root, 'dist', inSource.replace(/\.ts$/, '.js'));
      note(file);
      return placeOf(file);
    };
  },
});

/** What `import.meta` says of a file. */
const ownPlaces = (file) => ({ url: pathToFileURL(file).href, filename: file, dirname: path.dirname(file) });
const nameOf = (place) => `tollgateTest_${place}`;

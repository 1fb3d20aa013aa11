/**
 * Builds the console once the server is compiled: types from the console's OpenAPI document, the bundle, and beside each
 * file its compressed forms. Does nothing where all of that is as its inputs have it; `--always` builds in any case.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const at = (...parts) => path.join(root, ...parts);
const output = at('dist', 'console');
const schemaFile = at('console', 'src', 'api', 'schema.ts');
const stampFile = path.join(output, '.stamp');
/** Below this a compressed form saves less than its header costs. */
const compressed_bytes_min = 1_000;
/** Guides of `/docs`. */
const guidePages = ['api-guide.md', 'errors.md', path.join('zh', 'api-guide.md'), path.join('zh', 'errors.md')];
/** One step below the best: 2 % larger, in a third of the time. */
const brotli_quality = 10;

const { consoleDocument } = await import('../dist/api/console/console-document.js');
const document = JSON.stringify(consoleDocument());
const stamp = hashOfInputs();
const isFresh = fs.existsSync(schemaFile) && fs.existsSync(stampFile) && fs.readFileSync(stampFile, 'utf8') === stamp;
if (process.argv.includes('--always') || !isFresh) {
  await Promise.all([writeSchema(), bundle()]);
  await compressAll();
  fs.writeFileSync(stampFile, stamp);
}

/** Names and contents of `console`, the document, the guides, and what else decides about the bundle. */
function hashOfInputs() {
  const hash = createHash('sha256').update(document);
  const files = fs
    .readdirSync(at('console'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => file !== schemaFile)
    .sort();
  const others = [
    ...guidePages.map((page) => at('docs', page)),
    at('package-lock.json'),
    fileURLToPath(import.meta.url),
  ];
  for (const file of [...files, ...others]) {
    const content = fs.readFileSync(file);
    hash.update(`${path.relative(root, file)}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

async function writeSchema() {
  const { default: openapiTypes, astToString } = await import('openapi-typescript');
  const text = `/** Made by scripts/build-console.mjs from the console's OpenAPI document. */\n${astToString(await openapiTypes(document))}`;
  const isSame = fs.existsSync(schemaFile) && fs.readFileSync(schemaFile, 'utf8') === text;
  if (!isSame) fs.writeFileSync(schemaFile, text);
}

async function bundle() {
  const { build } = await import('vite');
  await build({ configFile: at('console', 'vite.config.ts'), logLevel: 'warn' });
}

async function compressAll() {
  const folder = path.join(output, 'assets');
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: brotli_quality } };
  await Promise.all(
    fs.readdirSync(folder).map(async (name) => {
      const file = path.join(folder, name);
      const content = await fs.promises.readFile(file);
      if (content.length < compressed_bytes_min) return;
      const [br, gz] = await Promise.all([promisify(brotliCompress)(content, brotli), promisify(gzip)(content)]);
      await Promise.all([fs.promises.writeFile(`${file}.br`, br), fs.promises.writeFile(`${file}.gz`, gz)]);
    }),
  );
}

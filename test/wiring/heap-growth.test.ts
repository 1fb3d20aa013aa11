/** How much the heap of a gateway may grow before V8 collects the whole of it again. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { startOptions } from '../../bench/start-options.ts';

const built = (name: string) => pathToFileURL(join(import.meta.dirname, '..', '..', 'dist', 'runtime', name)).href;

/** Keeps 60 MB alive, as a gateway does, and collects what loading left. */
const likeAStart = `
  import { growBetweenCollections } from '${built('heap-growth.js')}';
  import { returnMemory } from '${built('return-memory.js')}';
  growBetweenCollections();
  globalThis.kept = Array.from({ length: 400_000 }, (_, at) => ({ at, text: 'x' + at, list: [at] }));
  await returnMemory();
`;

test('after a start the heap may grow to three times what lives, where V8 would leave a tenth', async () => {
  const options = [...startOptions, '--trace-gc-verbose', '--input-type=module', '--eval', likeAStart];
  const { stdout } = await promisify(execFile)(process.execPath, options);
  const limits = [...stdout.matchAll(/\[HeapController\] Limit: old size: (\d+) KB, new limit: (\d+) KB/g)];
  const [, size, limit] = limits.at(-1)?.map(Number) ?? assert.fail(`V8 said nothing of limits: ${stdout}`);
  assert.ok(size !== undefined && limit !== undefined && limit >= 3 * size, `${limit} KB beside ${size} KB`);
});

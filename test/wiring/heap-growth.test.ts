/** How much the heap of a gateway may grow before V8 collects the whole of it again. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startOptions } from '../../bench/start-options.ts';
import { program } from '../support/process.ts';

/** Keeps 60 MB alive, as a gateway does, and collects as a start does in its end, here before the program exits. */
const likeAStart = `
  import { Session } from 'node:inspector';
  globalThis.kept = Array.from({ length: 400_000 }, (_, at) => ({ at, text: 'x' + at, list: [at] }));
  const { exit } = process;
  process.exit = (code) => {
    const session = new Session();
    session.connect();
    session.post('HeapProfiler.collectGarbage', () => exit(code));
  };
`;

test('after a start the heap may grow to three times what lives, where V8 would leave a tenth', async () => {
  const before = `data:text/javascript,${encodeURIComponent(likeAStart)}`;
  const options = [...startOptions, '--trace-gc-verbose', '--import', before];
  const { stdout } = await promisify(execFile)(process.execPath, [...options, program, '--help']);
  const limits = [...stdout.matchAll(/\[HeapController\] Limit: old size: (\d+) KB, new limit: (\d+) KB/g)];
  const [, size, limit] = limits.at(-1)?.map(Number) ?? assert.fail(`V8 said nothing of limits: ${stdout}`);
  assert.ok(size !== undefined && limit !== undefined && limit >= 3 * size, `${limit} KB beside ${size} KB`);
});

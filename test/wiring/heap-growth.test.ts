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
    session.post('HeapProfiler.collectGarbage', () => afterwards(code));
  };
`;

/** The program's output, with what V8 says of its collections; `afterwards` is what it does then, and exits. */
async function traced(flag: string, afterwards: string): Promise<string> {
  const before = `data:text/javascript,${encodeURIComponent(`${likeAStart} const afterwards = ${afterwards};`)}`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...startOptions, flag, '--import', before, program, '--help'],
    { maxBuffer: 16 * 1024 * 1024 },
  );
  return stdout;
}

test('after a start the heap may grow to three times what lives, where V8 would leave a tenth', async () => {
  const stdout = await traced('--trace-gc-verbose', 'exit');
  const limits = [...stdout.matchAll(/\[HeapController\] Limit: old size: (\d+) KB, new limit: (\d+) KB/g)];
  const [, size, limit] = limits.at(-1)?.map(Number) ?? assert.fail(`V8 said nothing of limits: ${stdout}`);
  assert.ok(size !== undefined && limit !== undefined && limit >= 3 * size, `${limit} KB beside ${size} KB`);
});

/** 1 GB of them, 2 MB at a time, as an upload's. */
const readBuffers = `async (code) => {
  console.log('begun');
  const inUse = [];
  for (let at = 0; at < 16_000; at++) {
    inUse[at % 32] = Buffer.allocUnsafeSlow(65_536);
    if (at % 16 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  exit(code);
}`;

test('a gigabyte of buffers that are dropped soon is no reason to collect the whole heap over and over', async () => {
  const [, ofBuffers = assert.fail('it did not begin')] = (await traced('--trace-gc', readBuffers)).split('begun');
  const collections = ofBuffers.split('Mark-Compact').length - 1;
  assert.ok(collections <= 5, `${collections} whole collections: ${ofBuffers}`);
});

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { onceATurn } from '../../src/observability/logging/once-a-turn.ts';
import { program } from '../support/process.ts';

test('the lines of a turn of the event loop are one write, in their order', async () => {
  const writes: string[] = [];
  const lines = onceATurn({ write: (text) => writes.push(text) });
  lines.write('a\n');
  await Promise.resolve();
  lines.write('b\n');
  assert.deepEqual(writes, []);
  await turn();
  assert.deepEqual(writes, ['a\nb\n']);
  lines.write('c\n');
  await turn();
  assert.deepEqual(writes, ['a\nb\n', 'c\n']);
});

test('a write is no longer than what a pipe takes as a whole, unless a line is', async () => {
  const writes: string[] = [];
  const lines = onceATurn({ write: (text) => writes.push(text) });
  const line = `${'é'.repeat(999)}\n`; // 1,999 bytes
  const long = `${'x'.repeat(5_000)}\n`;
  for (const each of [line, line, line, long, line]) lines.write(each);
  await turn();
  assert.deepEqual(writes, [line + line, line, long, line]);
});

test('what a process logs just before it exits or breaks is written', async () => {
  const log = new URL('../observability/logging/log.js', pathToFileURL(program)).href;
  for (const end of ['process.exit(3)', 'throw new Error("broken")']) {
    const code = `import { createLog } from ${JSON.stringify(log)}; createLog('info').info('the last line'); ${end}`;
    const ended = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code]);
    await assert.rejects(ended, ({ stderr }: { stderr: string }) => /"msg":"the last line"\}\n/.test(stderr));
  }
});

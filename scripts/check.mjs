/** `npm run check`: what can be seen without running anything. Two programs at a time, as each keeps one core busy. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { runScript, say } from './prepare.mjs';

/** The longest first. */
const programs = [['prettier', '--check', '.'], ['oxlint'], ['knip']];

await runScript(async () => {
  const { default: pLimit } = await import('p-limit'); // installed by now
  const limit = pLimit(2);
  const passed = await Promise.all(programs.map((program) => limit(() => passes(program))));
  const failed = programs.filter((_, at) => !passed[at]).map((program) => program.join(' '));
  if (failed.length === 0) return;
  say(`Failed: ${failed.join(', ')}`);
  process.exitCode = 1;
});

/** Prints what the program printed when it ends, so that the lines of two don't mix. */
function passes([name, ...args]) {
  const startMs = performance.now();
  const env = { ...process.env, ...(process.stdout.isTTY && { FORCE_COLOR: '1' }) };
  const child = spawn(path.join('node_modules', '.bin', name), args, { env, shell: process.platform === 'win32' });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => output.push(part));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => {
      const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
      process.stdout.write(`${status === 0 ? '✔' : '✖'} ${[name, ...args].join(' ')} (${seconds} s)\n`);
      process.stdout.write(Buffer.concat(output));
      resolve(status === 0);
    });
  });
}

/** Programs that run side by side and are read one after the other. */
import { spawn } from 'node:child_process';

/** Whether a program ended well. Prints its name and what it printed when it ends, so that the lines of two don't mix. */
export function passes(name, program, args, env = process.env) {
  const startMs = performance.now();
  const options = { env, stdio: ['ignore', 'pipe', 'pipe'], shell: process.platform === 'win32' };
  const child = spawn(program, args, options);
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => output.push(part));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => {
      const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
      process.stdout.write(`${status === 0 ? '✔' : '✖'} ${name} (${seconds} s)\n`);
      process.stdout.write(Buffer.concat(output));
      resolve(status === 0);
    });
  });
}

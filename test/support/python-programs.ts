/** Python programs that share what they import: each runs in a fork of a process that has the packages loaded. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import { pythonWith } from './python.ts';

/** An interpreter takes half a second of CPU and more to import the `openai` package, and a fork 10 ms. */
export interface PythonPrograms {
  /** Runs a program to its end, which the next one has to wait for; returns its exit code and all that it printed. */
  run(file: string, options: ProgramOptions): Promise<ProgramEnd>;
  stop(): Promise<void>;
}

export interface ProgramOptions {
  /** Where it runs. */
  folder: string;
  /** All of its environment. */
  env: Readonly<Record<string, string | undefined>>;
}

const programEnd = z.object({ code: z.number(), output: z.string() });
export type ProgramEnd = z.output<typeof programEnd>;

const forker = join(import.meta.dirname, 'forked_programs.py');
const timeoutSeconds = 120;

/** Starts an interpreter with these packages, as `name==version`, that has loaded the modules and what is below them. */
export async function startPythonPrograms(
  packages: readonly string[],
  modules: readonly string[],
): Promise<PythonPrograms> {
  const python = join(await pythonWith(...packages), 'python');
  const child = spawn(python, [forker, ...modules], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const ends = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    run: async (file, { folder, env }) => {
      child.stdin.write(`${JSON.stringify({ file, folder, env, timeout_seconds: timeoutSeconds })}\n`);
      const { value, done } = await ends.next();
      if (done) throw new Error('The interpreter has ended.');
      return programEnd.parse(JSON.parse(value));
    },
    stop: async () => {
      child.stdin.end();
      await ended;
    },
  };
}

/** Runs test files in a few long-lived processes: what files import is loaded once a process, which took most of a run's time. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { compileTests } from './compile-tests.mjs';
import { cpuMsOf } from './cpu-time.mjs';

/** The last part of what a file printed, shown if it fails. */
const outputCharsMax = 64 * 1024;
const beside = (name) => fileURLToPath(new URL(name, import.meta.url));
const processFlags = [
  ...['--min-semi-space-size=16', '--max-semi-space-size=16', '--enable-source-maps'],
  ...['--test-reporter', beside('test-events.mjs'), '--test-reporter-destination', 'stdout'],
];

/**
 * Runs the files in their order, `atOnce` at a time, and calls `onEnd` with the outcome of each: `{ file, tests, skipped,
 * failures, output, durationMs, cpuMs }`, where a failure is `{ name, at, reason }`. A file that ends its process, or is not
 * through after `budgetMsOf(file)`, has failed; its process ends with all that it started, and the next files get a new one.
 * A file that `needsOwnProcess` shares it with none. Their JavaScript is written into `codeFolder`, which is new. Resolves
 * when all have ended, or the signal says stop.
 */
export async function runPool(files, options) {
  const { env, atOnce, needsOwnProcess = () => false, budgetMsOf, codeFolder, signal, onEnd } = options;
  const codeOf = await compileTests(files, codeFolder);
  const waiting = [...files];
  const members = new Set();
  signal.addEventListener('abort', () => members.forEach((member) => member.end()), { once: true });
  const leave = (member) => {
    if (member && !member.hasEnded) member.end();
    members.delete(member);
  };
  const work = async () => {
    let member;
    while (waiting.length > 0 && !signal.aborted) {
      const file = waiting.shift();
      const isAlone = needsOwnProcess(file);
      if (isAlone || !member || member.hasEnded) {
        leave(member);
        member = new PoolProcess(env);
        members.add(member);
      }
      onEnd(await member.run(file, codeOf(file), budgetMsOf(file)));
      if (isAlone) leave(member);
    }
    leave(member);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, files.length) }, work));
}

class PoolProcess {
  #child;
  #settle = () => undefined;
  #outcome;

  constructor(env) {
    // A group of its own: what a file started ends with it.
    const options = { env, detached: true, execArgv: processFlags, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] };
    this.#child = fork(beside('test-process.mjs'), [], options);
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream.setEncoding('utf8').on('data', (text) => this.#keepOutput(text));
    this.#child.on('message', (message) => this.#hear(message));
    this.#child.once('exit', (code, by) =>
      this.#endEarly(`Its process ended by itself: ${by ?? `exit code ${code}`}.`),
    );
  }

  hasEnded = false;

  /** The outcome of a file; never rejects. */
  async run(file, code, budgetMs) {
    const startMs = performance.now();
    const cpuMsBefore = cpuMsOf(this.#child.pid);
    this.#outcome = { file, tests: 0, skipped: 0, failures: [], output: '', lastTest: undefined };
    const budget = setTimeout(() => this.#endEarly(`It was not through after its ${budgetMs / 1000} s.`), budgetMs);
    await new Promise((resolve) => {
      this.#settle = resolve;
      this.#child.send({ file, code });
    });
    clearTimeout(budget);
    const { tests, failures } = this.#outcome;
    if (tests === 0 && failures.length === 0) this.#fail({ name: 'the file', reason: 'It has no test.' });
    const cpuMsAfter = cpuMsOf(this.#child.pid); // not known of a process that has ended
    const cpuMs = cpuMsAfter === undefined ? undefined : cpuMsAfter - cpuMsBefore;
    return { ...this.#outcome, durationMs: performance.now() - startMs, cpuMs };
  }

  end() {
    this.hasEnded = true;
    try {
      process.kill(-this.#child.pid, 'SIGKILL');
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
  }

  #hear({ type, ...message }) {
    if (type === 'ended') this.#noteEnd(message);
    else if (type === 'strayed') this.#fail({ name: 'outside of its tests', reason: message.reason });
    else this.#keepOutput(`${message.text}\n`);
  }

  #noteEnd({ name, nesting, at, isSuite, passed, skipped, reason }) {
    if (!isSuite) this.#outcome.tests += 1;
    if (skipped) this.#outcome.skipped += 1;
    if (!passed && reason !== undefined) this.#fail({ name, at, reason });
    this.#outcome.lastTest = name;
    if (nesting === 0) this.#settle();
  }

  #endEarly(why) {
    if (this.hasEnded) return this.#settle();
    const { lastTest } = this.#outcome;
    this.#fail({ name: 'the file', reason: `${why} The last test to end was: ${lastTest ?? 'none'}.` });
    this.end();
    this.#settle();
  }

  #fail(failure) {
    this.#outcome.failures.push(failure);
  }

  #keepOutput(text) {
    if (this.#outcome) this.#outcome.output = (this.#outcome.output + text).slice(-outputCharsMax);
  }
}

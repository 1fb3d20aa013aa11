/** The pool that runs these very tests: each file's failures are its own, with their places, and the next files run. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { type FileOutcome, runPool } from '../../scripts/test-pool.mjs';
import { testReport } from '../../scripts/test-report.mjs';
import { until } from '../support/process.ts';

let folder: string;
before(async () => (folder = await mkdtemp(path.join(tmpdir(), 'tollgate-pool-'))));
after(() => rm(folder, { recursive: true }));

/** Writes files of these bodies, runs them one after the other, and returns what became of each. */
async function outcomesOf(
  bodies: readonly string[],
  budgetMs = 30_000,
  needsOwnProcess: (file: string) => boolean = () => false,
) {
  const files = await Promise.all(
    bodies.map(async (body, index) => {
      const file = path.join(folder, `${index}-${budgetMs}.test.ts`);
      const head = `import { after, describe, test } from 'node:test';\ninterface Erased {\n  line: number;\n}\n`;
      await writeFile(file, `${head}${body}\n`);
      return file;
    }),
  );
  const outcomes: FileOutcome[] = [];
  const { signal } = new AbortController();
  const env = { ...process.env, NODE_OPTIONS: '' };
  await runPool(files, {
    env,
    atOnce: 1,
    needsOwnProcess,
    budgetMsOf: () => budgetMs,
    codeFolder: await mkdtemp(path.join(folder, 'code-')),
    signal,
    onEnd: (outcome) => outcomes.push(outcome),
  });
  assert.deepEqual(
    outcomes.map(({ file }) => file),
    files,
  );
  return outcomes;
}

const passes = `test('passes', () => {});`;

test('a failed test is named with its line and what it threw; the next file passes in the same process', async () => {
  const [failed, next] = await outcomesOf([
    `globalThis.pid = process.pid;\ndescribe('a suite', () => { test('fails', () => { throw new Error('broken here'); }); });\n${passes}`,
    `test('is in the same process', () => { if (globalThis.pid !== process.pid) throw new Error('another'); });`,
  ]);
  assert.equal(failed?.tests, 2);
  assert.deepEqual(
    failed.failures.map(({ name, at }) => [name, path.basename(at ?? '')]),
    [['fails', '0-30000.test.ts:6']],
  );
  assert.match(failed.failures[0]?.reason ?? '', /^Error: broken here\n +at .*0-30000\.test\.ts:6:/);
  assert.deepEqual([next?.tests, next?.failures], [1, []]);
});

test('a file that needs its own process shares it neither with the file before it nor with the one after it', async () => {
  const isFirst = `test('has a fresh process', () => { if (globalThis.isUsed) throw new Error('used'); globalThis.isUsed = true; });`;
  const isSecond = `test('has the process of the file before', () => { if (!globalThis.isUsed) throw new Error('fresh'); });`;
  const bodies = [isFirst, isSecond, isFirst, isFirst, isSecond];
  const outcomes = await outcomesOf(bodies, 30_000, (file) => path.basename(file).startsWith('2-'));
  assert.deepEqual(
    outcomes.map(({ failures }) => failures),
    [[], [], [], [], []],
  );
});

test('the hooks of a file run around its own tests', async () => {
  const outcomes = await outcomesOf([
    `globalThis.ended = false;\nafter(() => { globalThis.ended = true; });\n${passes}`,
    `test('comes later', () => { if (!globalThis.ended) throw new Error('too early'); });`,
  ]);
  assert.deepEqual(
    outcomes.map(({ failures }) => failures),
    [[], []],
  );
});

test('a file that cannot be loaded has failed', async () => {
  const [broken] = await outcomesOf([`import './nowhere.ts';`]);
  assert.match(broken?.failures[0]?.reason ?? '', /Cannot find module/);
});

test('a file with a mistake in its syntax has failed by its line, and the next file runs', async () => {
  const [broken, next] = await outcomesOf([`${passes}\ntest('never', ;`, passes]);
  assert.match(broken?.failures[0]?.reason ?? '', /SyntaxError: .*0-30000\.test\.ts:6: /);
  assert.deepEqual([next?.tests, next?.failures], [1, []]);
});

test('an error that no test can be named for fails the file', async () => {
  const body = `test('ends before', () => { setTimeout(() => { throw new Error('too late'); }, 1); });
    test('waits', () => new Promise((resolve) => setTimeout(resolve, 50)));`;
  const [strayed] = await outcomesOf([body]);
  assert.match(strayed?.failures[0]?.reason ?? '', /too late/);
});

test('a file that ends its process has failed by name, with the last test; the next file gets a new process', async () => {
  const [ended, next] = await outcomesOf([
    `${passes}\ntest('exits', () => new Promise(() => setTimeout(() => process.exit(3), 200)));`,
    passes,
  ]);
  assert.match(ended?.failures[0]?.reason ?? '', /exit code 3\. The last test to end was: passes\./);
  assert.deepEqual(next?.failures, []);
});

test('a file that hangs is killed at its budget, with what it started; the next file runs', async () => {
  const body = `import { spawn } from 'node:child_process';
    test('hangs', async () => { console.log(spawn('sleep', ['600']).pid); await new Promise((resolve) => setTimeout(resolve, 600_000)); });`;
  const [hanging, next] = await outcomesOf([body, passes], 3_000);
  assert.match(hanging?.failures[0]?.reason ?? '', /not through after its 3 s/);
  const pid = Number(hanging?.output);
  assert.ok(pid > 1, hanging?.output);
  await until('the end of what it started', () => !isAlive(pid) || undefined);
  assert.deepEqual(next?.failures, []);
});

test('a file that fails and then passes is reported as flaky with its test, and fails nothing', () => {
  const printed: string[] = [];
  const report = testReport((text) => printed.push(text));
  const failure = { name: 'fails by chance', at: `${process.cwd()}/test/a.test.ts:3`, reason: 'Error: late' };
  const outcome = {
    file: 'test/a.test.ts',
    tests: 1,
    skipped: 0,
    failures: [failure],
    output: '',
    durationMs: 1,
    cpuMs: 1,
  };
  report.add(outcome);
  assert.deepEqual(report.failed(), ['test/a.test.ts']);
  report.add({ ...outcome, failures: [] });
  assert.deepEqual(report.failed(), []);
  assert.equal(report.end(1), true);
  const text = printed.join('\n');
  assert.match(
    text,
    /Flaky, passed the second time:\n {2}✖ test\/a\.test\.ts\n {6}fails by chance \(test\/a\.test\.ts:3\)/,
  );
  assert.match(text, /ℹ files 1\nℹ tests 1\nℹ pass 1\nℹ fail 0/);
});

test('a file that fails twice has failed', () => {
  const report = testReport(() => undefined);
  const failures = [{ name: 'fails', reason: 'Error: broken' }];
  const outcome = { file: 'test/a.test.ts', tests: 1, skipped: 0, failures, output: '', durationMs: 1, cpuMs: 1 };
  report.add(outcome);
  report.add(outcome);
  assert.equal(report.end(1), false);
});

test('the CPU of a file whose process ended is not known, that of the others is summed up', () => {
  const printed: string[] = [];
  const report = testReport((text) => printed.push(text));
  const outcome = { tests: 1, skipped: 0, failures: [], output: '', durationMs: 1_000 };
  report.add({ ...outcome, file: 'test/a.test.ts', cpuMs: undefined });
  report.add({ ...outcome, file: 'test/b.test.ts', cpuMs: 2_000 });
  report.end(2);
  const text = printed.join('\n');
  assert.match(text, /✔ test\/a\.test\.ts \(1 tests, 1\.0 s, unknown of CPU\)/);
  assert.match(text, /^CPU: the files 2\.0 s$/m);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

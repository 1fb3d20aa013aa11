/** What a test run prints: a line a file, failures with their places as they come and again at the end, the slowest files, the counts. */
import path from 'node:path';

const slowestShown = 10;

// The reader was `head`: the run goes on to its end, which stops the servers.
process.stdout.on('error', () => undefined);

/**
 * A reporter: `add` an outcome of the pool, then `end`, which says whether all passed. A file that is added again counts by its
 * last outcome; one that failed before is listed as flaky.
 */
export function testReport(print = (text) => process.stdout.write(`${text}\n`)) {
  const added = [];
  const startMs = performance.now();
  return {
    add(outcome) {
      added.push(outcome);
      print(lineOf(outcome));
      if (outcome.failures.length > 0) print(failuresOf(outcome));
    },
    /** The files whose last outcome is a failure. */
    failed: () =>
      lastOf(added)
        .filter(hasFailed)
        .map(({ file }) => file),
    end(filesWanted) {
      const outcomes = lastOf(added);
      const failed = outcomes.filter(hasFailed);
      const flaky = added.filter((outcome) => hasFailed(outcome) && !failed.some(({ file }) => file === outcome.file));
      if (flaky.length > 0) print(['', 'Flaky, passed the second time:', ...flaky.map(namesOf)].join('\n'));
      if (failed.length > 0) print(['', 'Failed:', ...failed.map(namesOf)].join('\n'));
      print(['', 'The slowest files:', ...slowest(outcomes).map((outcome) => `  ${lineOf(outcome)}`), ''].join('\n'));
      print(countsOf(outcomes, performance.now() - startMs));
      const missing = filesWanted - outcomes.length;
      if (missing > 0) print(`✖ ${missing} files were not run.`);
      return failed.length === 0 && missing === 0;
    },
  };
}

const hasFailed = ({ failures }) => failures.length > 0;
const lastOf = (added) => [...new Map(added.map((outcome) => [outcome.file, outcome])).values()];

function lineOf({ file, tests, failures, durationMs }) {
  return `${failures.length > 0 ? '✖' : '✔'} ${file} (${tests} tests, ${(durationMs / 1000).toFixed(1)} s)`;
}

function failuresOf({ failures, output }) {
  const reported = failures.map(
    ({ name, at, reason }) => `  ✖ ${name}${at ? ` (${relative(at)})` : ''}\n${indented(reason)}`,
  );
  return [...reported, ...(output === '' ? [] : [`  It printed:\n${indented(output.trimEnd())}`])].join('\n');
}

function namesOf({ file, failures }) {
  return [`  ✖ ${file}`, ...failures.map(({ name, at }) => `      ${name}${at ? ` (${relative(at)})` : ''}`)].join(
    '\n',
  );
}

function slowest(outcomes) {
  return [...outcomes].sort((one, other) => other.durationMs - one.durationMs).slice(0, slowestShown);
}

function countsOf(outcomes, durationMs) {
  const sum = (count) => outcomes.reduce((total, outcome) => total + count(outcome), 0);
  const tests = sum((outcome) => outcome.tests);
  const failed = sum(({ failures }) => failures.length);
  const skipped = sum((outcome) => outcome.skipped);
  return [
    `ℹ files ${outcomes.length}`,
    `ℹ tests ${tests}`,
    `ℹ pass ${Math.max(0, tests - failed - skipped)}`,
    `ℹ fail ${failed}`,
    `ℹ skipped ${skipped}`,
    `ℹ duration_ms ${durationMs.toFixed(0)}`,
  ].join('\n');
}

const relative = (at) => path.relative(process.cwd(), at.replace(/^file:\/\//, ''));
const indented = (text) => text.replace(/^/gm, '      ');

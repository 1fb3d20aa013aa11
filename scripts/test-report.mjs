/** What a test run prints: a line a file, failures with their places as they come and again at the end, the slowest and dearest files, the counts. */
import path from 'node:path';

/** Of the slowest files, and of those that take most of the CPU. */
const shownMax = 10;

// The reader was `head`: the run goes on to its end, which stops the servers.
process.stdout.on('error', () => undefined);

/**
 * A reporter: `add` an outcome of the pool, then `end` with the servers' CPU times, which says whether all passed. A file
 * that is added again counts by its last outcome; one that failed before is listed as flaky.
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
    end(filesWanted, serversCpuMs = {}) {
      const outcomes = lastOf(added);
      const failed = outcomes.filter(hasFailed);
      const flaky = added.filter((outcome) => hasFailed(outcome) && !failed.some(({ file }) => file === outcome.file));
      if (flaky.length > 0) print(['', 'Flaky, passed the second time:', ...flaky.map(namesOf)].join('\n'));
      if (failed.length > 0) print(['', 'Failed:', ...failed.map(namesOf)].join('\n'));
      print(['', 'The slowest files:', ...most(outcomes, 'durationMs')].join('\n'));
      print(['', 'Those that take most of the CPU:', ...most(outcomes, 'cpuMs'), ''].join('\n'));
      print(cpuOf(outcomes, serversCpuMs));
      print(countsOf(outcomes, performance.now() - startMs));
      const missing = filesWanted - outcomes.length;
      if (missing > 0) print(`✖ ${missing} files were not run.`);
      return failed.length === 0 && missing === 0;
    },
  };
}

const hasFailed = ({ failures }) => failures.length > 0;
const lastOf = (added) => [...new Map(added.map((outcome) => [outcome.file, outcome])).values()];

function lineOf({ file, tests, failures, durationMs, cpuMs }) {
  const times = `${seconds(durationMs)}, ${seconds(cpuMs)} of CPU`;
  return `${failures.length > 0 ? '✖' : '✔'} ${file} (${tests} tests, ${times})`;
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

function most(outcomes, measure) {
  const sorted = [...outcomes].sort((one, other) => (other[measure] ?? 0) - (one[measure] ?? 0));
  return sorted.slice(0, shownMax).map((outcome) => `  ${lineOf(outcome)}`);
}

function cpuOf(outcomes, serversCpuMs) {
  const ofFiles = outcomes.reduce((total, { cpuMs }) => total + (cpuMs ?? 0), 0);
  const all = Object.entries({ 'the files': ofFiles, ...serversCpuMs });
  return `CPU: ${all.map(([name, cpuMs]) => `${name} ${seconds(cpuMs)}`).join(', ')}`;
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

const seconds = (ms) => (ms === undefined ? 'unknown' : `${(ms / 1000).toFixed(1)} s`);
const relative = (at) => path.relative(process.cwd(), at.replace(/^file:\/\//, ''));
const indented = (text) => text.replace(/^/gm, '      ');

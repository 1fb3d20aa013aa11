/** A reporter of node:test for a process of the pool: reports the end of each test to its parent, as plain data. */
import { inspect } from 'node:util';

export default async function* reportToParent(events) {
  for await (const { type, data } of events) {
    if (type === 'test:pass' || type === 'test:fail') process.send({ type: 'ended', ...endOf(type, data) });
    else if (type === 'test:diagnostic') process.send({ type: 'said', text: data.message });
  }
  yield* []; // nothing goes to stdout: that is the tests' own
}

/** `nesting` is 0 for the file itself, which is a suite to node:test, and 1 for what stands at its top. */
function endOf(type, { name, nesting, file, line, skip, todo, details }) {
  return {
    name,
    nesting,
    at: file && line ? `${file}:${line}` : undefined,
    isSuite: details.type === 'suite',
    passed: type === 'test:pass',
    skipped: skip !== undefined || todo !== undefined,
    reason: type === 'test:fail' ? reasonOf(details.error) : undefined,
  };
}

/** What a test threw, with its stack; nothing of a suite that failed by its tests, since they are reported themselves. */
function reasonOf(error) {
  if (error?.failureType === 'subtestsFailed') return undefined;
  return inspect(error?.cause ?? error, { depth: 6 });
}

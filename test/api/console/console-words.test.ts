/** What the console makes of answers before a page shows them. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { errorOfAnswer } from '../../../console/src/api/error.ts';

const audit = new URL('../../../src/audit/checks/', import.meta.url);
const looked = new URL('../../../console/src/pages/operator-audit/looked.ts', import.meta.url);

const waitOf = async (status: number, headers: Record<string, string>) =>
  (await errorOfAnswer(new Response('{}', { status, headers }))).retryAfterSeconds;

test('a wait is read from Retry-After, and above a minute from X-RateLimit-Reset', async () => {
  assert.equal(await waitOf(429, { 'Retry-After': '7', 'X-RateLimit-Reset': '9' }), 7);
  assert.equal(await waitOf(429, { 'X-RateLimit-Reset': '3600' }), 3600);
  assert.equal(await waitOf(404, { 'X-RateLimit-Reset': '3600' }), null);
  assert.equal(await waitOf(429, {}), null);
});

test('everything that an audit counts has words of its own in the console', async () => {
  const named = await readFile(looked, 'utf8');
  const files = (await readdir(audit)).filter((name) => name.endsWith('.ts'));
  const sources = await Promise.all(files.map((name) => readFile(new URL(name, audit), 'utf8')));
  const counts = sources.flatMap((source) =>
    [...source.matchAll(/looked\('([^']+)'|, '(charges of \w+)',/g)].flatMap(([, one, other]) => one ?? other ?? []),
  );
  assert.ok(counts.length >= 10, String(counts));
  const names = /const names = \{([^}]+)\}/.exec(named)?.[1] ?? '';
  const known = new Set([...names.matchAll(/^ +(?:'([^']+)'|(\w+)):/gm)].map(([, one, other]) => one ?? other));
  assert.deepEqual(
    counts.filter((name) => !known.has(name)),
    [],
  );
});

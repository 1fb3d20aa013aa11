/**
 * The examples of the documentation, run as they are by a reader of the quick start: in a folder with a gateway of
 * `npm start`, and its address and key in the environment. Those of a page in one shell follow each other.
 */
import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Example, examplesOf, pagesWithExamples, placeOf, root } from '../docs/pages.ts';
import { Installation } from '../support/process.ts';
import { pythonWith } from '../support/python.ts';

/** What a shell does at the first command that fails; curl takes a refusal for one. */
const strict = `set -euo pipefail\ncurl() { command curl --fail-with-body --silent --show-error "$@"; }\n`;

let home: Installation;
let env: Record<string, string>;
/** A version of each major release of the `openai` package that people have. */
const openaiVersions = ['1.109.1', '2.54.0', '3.54.0'];
/** The interpreters that have these versions. */
const pythons = new Map<string, string>();
before(async () => {
  for (const version of openaiVersions) {
    pythons.set(version, join(await pythonWith(`openai==${version}`), 'python'));
  }
  home = await Installation.make({ TOLLGATE_ALLOW_PRIVATE_URLS: 'true' });
  home.settings['TOLLGATE_DATA_DIR'] = join(home.folder, '.tollgate');
  const { url, key = '' } = await home.start();
  const path = await npx(join(home.folder, 'programs'));
  await symlink(join(root, 'node_modules'), join(home.folder, 'node_modules'));
  env = { URL: url, TOLLGATE_API_KEY: key, PATH: path };
});
after(() => home.remove());

for (const page of pagesWithExamples()) {
  const examples = examplesOf(page).filter(({ exempt }) => exempt === undefined);
  const lines = examples.filter(({ language }) => language === 'sh');
  const programs = examples.filter(({ language }) => ['js', 'python'].includes(language));
  if (lines.length + programs.length === 0) continue;
  describe(page.path, () => {
    if (lines.length > 0) {
      test(`its ${lines.length} examples for a shell run`, async () => {
        const script = lines.map((example) => `printf '\\n== ${placeOf(example)}\\n' >&2\n${example.code}`).join('\n');
        const { code, stdout, stderr } = await home.bash(`${strict}${script}`, env);
        assert.equal(code, 0, `${stderr}\n${stdout.slice(-2_000)}`);
      });
    }
    for (const example of programs) {
      for (const version of example.language === 'python' ? openaiVersions : [undefined]) {
        test(`${placeOf(example)} runs${version === undefined ? '' : ` on openai ${version}`}`, async () => {
          const program = version === undefined ? process.execPath : (pythons.get(version) ?? '');
          const { code, stdout, stderr } = await home.bash(`exec ${await commandFor(example, program)}`, env);
          assert.equal(code, 0, `${stderr}\n${stdout}`);
        });
      }
    }
  });
}

async function commandFor({ language, code, line }: Example, program: string): Promise<string> {
  const file = `example-${line}.${language === 'js' ? 'mjs' : 'py'}`;
  await writeFile(join(home.folder, file), code);
  return `timeout 120 ${program} ${file}`;
}

/** Stands in for npx, which finds `tollgate` in the project's folder only; returns the PATH on which it is found. */
async function npx(folder: string): Promise<string> {
  const program = join(root, 'dist', 'cli', 'main.js');
  await mkdir(folder);
  const lines = ['#!/bin/sh', 'test "$1" = tollgate || exit 127', 'shift', `exec ${process.execPath} ${program} "$@"`];
  await writeFile(join(folder, 'npx'), `${lines.join('\n')}\n`, { mode: 0o755 });
  return `${folder}:${process.env['PATH'] ?? ''}`;
}

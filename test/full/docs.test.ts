/**
 * The examples of the documentation, run as they are by a reader of the quick start: in a folder with a gateway of
 * `npm start`, and its address and key in the environment. Those of a page in one shell follow each other.
 */
import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Example, examplesOf, pagesWithExamples, placeOf, root } from '../docs/pages.ts';
import { Installation, program } from '../support/process.ts';
import { type PythonPrograms, startPythonPrograms } from '../support/python-programs.ts';

/** What a shell does at the first command that fails; curl takes a refusal for one. */
const strict = `set -euo pipefail\ncurl() { command curl --fail-with-body --silent --show-error "$@"; }\n`;

let home: Installation;
let env: Record<string, string>;
/** A version of each major release of the `openai` package that people have. */
const openaiVersions = ['1.109.1', '2.54.0', '3.54.0'];
/** By these versions. */
const pythons = new Map<string, PythonPrograms>();
before(async () => {
  for (const version of openaiVersions) {
    pythons.set(version, await startPythonPrograms([`openai==${version}`], ['openai.resources']));
  }
  home = await Installation.make({ TOLLGATE_ALLOW_PRIVATE_URLS: 'true' });
  home.settings['TOLLGATE_DATA_DIR'] = join(home.folder, '.tollgate');
  const { url, key = '' } = await home.start();
  const path = await npx(join(home.folder, 'programs'));
  await symlink(join(root, 'node_modules'), join(home.folder, 'node_modules'));
  env = { URL: url, TOLLGATE_API_KEY: key, PATH: path };
});
after(async () => {
  for (const python of pythons.values()) await python.stop();
  await home.remove();
});

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
      if (example.language === 'js') {
        test(`${placeOf(example)} runs`, async () => {
          const { code, stdout, stderr } = await home.bash(
            `exec timeout 120 ${process.execPath} ${await fileOf(example)}`,
            env,
          );
          assert.equal(code, 0, `${stderr}\n${stdout}`);
        });
        continue;
      }
      for (const version of openaiVersions) {
        test(`${placeOf(example)} runs on openai ${version}`, async () => {
          const { code, output } = await pythons.get(version)!.run(await fileOf(example), { folder: home.folder, env });
          assert.equal(code, 0, output);
        });
      }
    }
  });
}

async function fileOf({ language, code, line }: Example): Promise<string> {
  const file = join(home.folder, `example-${line}.${language === 'js' ? 'mjs' : 'py'}`);
  await writeFile(file, code);
  return file;
}

/** Stands in for npx, which finds `tollgate` in the project's folder only; returns the PATH on which it is found. */
async function npx(folder: string): Promise<string> {
  await mkdir(folder);
  const lines = ['#!/bin/sh', 'test "$1" = tollgate || exit 127', 'shift', `exec ${process.execPath} ${program} "$@"`];
  await writeFile(join(folder, 'npx'), `${lines.join('\n')}\n`, { mode: 0o755 });
  return `${folder}:${process.env['PATH'] ?? ''}`;
}

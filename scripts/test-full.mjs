/** `npm run test:full`: the tests that need more (other programs, other clients) or take long; or the files given. */
import { spawnSync } from 'node:child_process';
import { runScript, say } from './prepare.mjs';
import { runTests, testFilesBelow } from './run-tests.mjs';

/** Programs that judge what the gateway delivers, with the Debian packages that bring them. A browser without a font for Chinese shows boxes. */
const judges = [
  { check: ['ffprobe', '-version'], package: 'ffmpeg' },
  { check: ['python3', '-c', 'import ensurepip, venv'], package: 'python3-venv' },
  { check: ['chromium', '--version'], package: 'chromium' },
  { check: ['fc-list', '--quiet', ':lang=zh-cn'], package: 'fonts-wqy-microhei' },
];

await runScript(async () => {
  const given = process.argv.slice(2);
  const files = given.length > 0 ? given : testFilesBelow('test/full');
  installMissing();
  await runTests(files, { minutesMax: 25 });
});

function installMissing() {
  const missing = judges.filter(({ check: [program, ...rest] }) => spawnSync(program, rest).status !== 0);
  if (missing.length === 0) return;
  const names = missing.map(({ package: name }) => name);
  say(`Installing ${names.join(', ')} ...`);
  const quiet = { stdio: ['ignore', 'ignore', 2] };
  const { status: updated } = spawnSync('apt-get', ['update', '-qq'], quiet);
  const { status } = spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...names], quiet);
  if (updated !== 0 || status !== 0) throw new Error(`Install ${names.join(', ')} by hand and try again.`);
}

/**
 * The lines of Node.js that Tollgate supports, each as the npm package `node` brings it. Run with the major version of one, it
 * prints the folder of that Node.js, as CI puts it first in its PATH.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runScript, say } from './prepare.mjs';

/** Of the oldest line the oldest that package.json allows. */
export const nodeVersions = ['20.19.0', '22.23.3', '24.21.0'];

export const majorOf = (version) => version.split('.', 1)[0];

/** The path of that Node.js, installed below .run at its first use. */
export function nodeOf(version) {
  const folder = path.resolve('.run', 'node', version);
  const node = path.join(folder, 'node_modules', 'node', 'bin', 'node');
  if (spawnSync(node, ['--version']).stdout?.toString().trim() === `v${version}`) return node;
  say(`Installing Node.js ${version} ...`);
  const quietly = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  const args = ['install', '--prefix', folder, ...quietly, `node@${version}`];
  const { status } = spawnSync('npm', args, { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`npm could not install node@${version}.`);
  return node;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runScript(printFolder, { build: false });

function printFolder() {
  const [major] = process.argv.slice(2);
  const version = nodeVersions.find((one) => majorOf(one) === major);
  if (!version) throw new Error(`Name one of ${nodeVersions.map(majorOf).join(', ')}.`);
  process.stdout.write(`${path.dirname(nodeOf(version))}\n`);
}

/**
 * Makes this folder ready to run: packages as package-lock.json has them, `dist` as `src` has it. Says nothing, and takes
 * milliseconds, where nothing is to be done. Everything it says goes to stderr, so that commands with --json stay clean.
 */
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import module from 'node:module';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const at = (...parts) => path.join(root, ...parts);
const nodeMin = [20, 19];
const lockFolder = at('.run', 'prepare.lock');
/** `npm ci` and a build take a minute or two; an owner older than this is stuck, or its pid is another program's by now. */
const lockMinutesMax = 30;
const compiler = 'scripts/compile-server.mjs';
/** What decides about the server's files, besides `src`. */
const serverInputs = ['tsconfig.json', 'migrations', 'package-lock.json', 'scripts/prepare.mjs', compiler];
/** What the console is built of, besides the document that the compiled server prints; the pages are guides of `/docs`. */
const guidePages = ['docs/api-guide.md', 'docs/errors.md', 'docs/zh'];
const consoleInputs = ['console', 'scripts/build-console.mjs', ...guidePages];
/** Made by the build itself. */
const madeTypes = 'console/src/api/schema.ts';

/**
 * Installs and builds what is missing or stale; several processes at once do it once. `build: 'always'` builds in any case,
 * `false` never. A folder without `src` (a production image) is taken as it is. Raises an error in plain words if it fails.
 */
export async function prepare({ build = true } = {}) {
  checkNode();
  if (!fs.existsSync(at('src'))) return;
  const isReady = () => packagesAreFresh() && (build === false || (build === true && buildIsFresh()));
  if (isReady()) return linkCommand();
  await withLock(async () => {
    if (!packagesAreFresh()) install();
    linkCommand();
    if (build === 'always' || (build && !buildIsFresh())) compile(build === 'always');
  });
}

/** Runs the whole of a script: prepares, does the work, and ends with one line and status 1 if either fails. */
export async function runScript(work, options) {
  try {
    keepCompiled();
    await prepare(options);
    performance.mark('tollgate prepared'); // a start logs how long this took
    await work();
  } catch (error) {
    say(error instanceof Failure ? error.message : (error?.stack ?? String(error)));
    process.exitCode = 1;
  }
}

/**
 * Has Node.js keep what it compiles, of children too, where it can (22.1 and later): a start takes a quarter less of the CPU.
 * Not where it would by itself, in the system's temporary folder, which others may write. A folder that can't be written is
 * no error.
 */
function keepCompiled() {
  process.env.NODE_COMPILE_CACHE ??= at('.run', 'compiled');
  module.enableCompileCache?.(process.env.NODE_COMPILE_CACHE);
}

export function say(line) {
  process.stderr.write(`${line}\n`);
}

/** Something that the reader of one line can understand: no stack. */
class Failure extends Error {}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > nodeMin[0] || (major === nodeMin[0] && minor >= nodeMin[1])) return;
  throw new Failure(`Tollgate needs Node.js ${nodeMin.join('.')} or later; this is ${process.versions.node}.`);
}

/** Whether node_modules holds what the lock file says, by our note or, after an `npm install` by hand, by npm's own. */
function packagesAreFresh() {
  const wanted = hashOf(fs.readFileSync(at('package-lock.json')));
  const notePath = at('node_modules', '.tollgate-lock');
  if (textOf(notePath) === wanted) return true;
  const installed = textOf(at('node_modules', '.package-lock.json'));
  if (installed === undefined || !holdsAll(JSON.parse(installed).packages)) return false;
  fs.writeFileSync(notePath, wanted);
  return true;
}

function holdsAll(installed) {
  const wanted = JSON.parse(fs.readFileSync(at('package-lock.json'), 'utf8')).packages;
  return Object.entries(wanted).every(
    ([name, { version, optional }]) => name === '' || optional === true || installed[name]?.version === version,
  );
}

function install() {
  say('Installing packages (npm ci); the first time takes a minute ...');
  // Development packages in any case: the compiler is one of them. stdout is kept for the command's own answer.
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, error } = spawnSync('npm', args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Failure(`npm ci failed${error ? `: ${error.message}` : ', see above'}.`);
  fs.writeFileSync(at('node_modules', '.tollgate-lock'), hashOf(fs.readFileSync(at('package-lock.json'))));
}

/** `npx tollgate` looks into node_modules/.bin, where npm puts other packages' commands, but not this one's own. */
function linkCommand() {
  if (process.platform === 'win32') return; // npx then finds the command through package.json, only slower
  const link = at('node_modules', '.bin', 'tollgate');
  const target = path.join('..', '..', 'bin', 'tollgate.mjs');
  try {
    if (fs.readlinkSync(link) === target) return;
  } catch {
    // not there, or not a link
  }
  const aside = `${link}.${randomBytes(4).toString('hex')}`;
  fs.mkdirSync(path.dirname(link), { recursive: true });
  fs.symlinkSync(target, aside);
  fs.renameSync(aside, link);
}

function buildIsFresh() {
  const stamp = readStamp();
  return stamp?.server === serverHash() && stamp.console === consoleHash();
}

const serverHash = () => hashOfFiles(['src', ...serverInputs]);
const consoleHash = () => hashOfFiles(consoleInputs);

/** Of names and contents: a fresh checkout changes every time stamp. 200 files take 15 ms. */
function hashOfFiles(names) {
  const hash = createHash('sha256');
  for (const file of names.flatMap(filesBelow)) {
    if (file === madeTypes) continue;
    const content = fs.readFileSync(at(file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

function compile(always) {
  say('Building ...');
  const stamp = readStamp();
  // Before anything reads: what changes meanwhile makes the build stale.
  const next = { server: serverHash(), console: consoleHash(), sources: filesBelow('src') };
  fs.rmSync(at('dist', '.stamp'), { force: true });
  if (always || stamp?.server !== next.server) compileServer(stamp?.sources ?? [], next.sources);
  const builder = path.join('scripts', 'build-console.mjs');
  if (fs.existsSync(at('console'))) runNode(always ? [builder, '--always'] : [builder]);
  fs.writeFileSync(at('dist', '.stamp'), JSON.stringify(next));
}

function compileServer(sourcesBefore, sources) {
  removeOutputs(sourcesBefore.filter((source) => !sources.includes(source)));
  runNode([compiler]);
  const bundler = path.join('dist', 'temporal', 'bundle-workflows.js');
  if (fs.existsSync(at(bundler))) runNode([bundler]);
}

/** What was compiled from sources that are gone. */
function removeOutputs(sources) {
  for (const source of sources) {
    const output = source.replace(/^src/, 'dist').replace(/\.tsx?$/, '.js');
    for (const file of [output, `${output}.map`]) fs.rmSync(at(file), { force: true });
  }
}

function runNode(args) {
  const { status, error } = spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0)
    throw new Failure(`The build failed (${args.join(' ')})${error ? `: ${error.message}` : ', see above'}.`);
}

function readStamp() {
  try {
    return JSON.parse(fs.readFileSync(at('dist', '.stamp'), 'utf8'));
  } catch {
    return undefined; // never built, or cut short
  }
}

/** Paths below the root, sorted, with forward slashes; of a file itself, of a missing one none. */
function filesBelow(name) {
  const stat = fs.statSync(at(name), { throwIfNoEntry: false });
  if (!stat) return [];
  if (!stat.isDirectory()) return [name];
  return fs
    .readdirSync(at(name))
    .sort()
    .flatMap((entry) => filesBelow(`${name}/${entry}`));
}

function textOf(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function hashOf(content) {
  return createHash('sha256').update(content).digest('hex');
}

/** One process at a time. The lock is a folder with its owner's pid; that of a dead owner is taken over. */
async function withLock(work) {
  fs.mkdirSync(path.dirname(lockFolder), { recursive: true });
  const mine = JSON.stringify({ pid: process.pid, nonce: randomBytes(8).toString('hex'), time: Date.now() });
  for (let waits = 0; !takeLock(mine); waits++) {
    if (waits === 5) say('Waiting for another process that installs or builds in this folder ...');
    await sleep(200);
  }
  try {
    await work();
  } finally {
    if (textOf(path.join(lockFolder, 'owner')) === mine) fs.rmSync(lockFolder, { recursive: true });
  }
}

/** A folder that holds the owner's name already is renamed into place, so that no lock is ever without an owner. */
function takeLock(mine) {
  const aside = `${lockFolder}.${randomBytes(4).toString('hex')}`;
  fs.mkdirSync(aside);
  fs.writeFileSync(path.join(aside, 'owner'), mine);
  try {
    fs.renameSync(aside, lockFolder); // fails where a folder with something in it is
    return true;
  } catch (error) {
    fs.rmSync(aside, { recursive: true });
    if (!['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(error.code)) throw error;
  }
  const owner = textOf(path.join(lockFolder, 'owner'));
  if (owner !== undefined && isStale(owner)) breakLock(owner);
  return false;
}

function isStale(owner) {
  const { pid, time } = JSON.parse(owner);
  if (Date.now() - time > lockMinutesMax * 60_000) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/** Moves the lock away and looks again: if another process took it over in between, it goes back. */
function breakLock(owner) {
  const aside = `${lockFolder}.${randomBytes(4).toString('hex')}`;
  try {
    fs.renameSync(lockFolder, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  if (textOf(path.join(aside, 'owner')) === owner) fs.rmSync(aside, { recursive: true });
  else fs.renameSync(aside, lockFolder);
}

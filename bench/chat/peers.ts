/**
 * Gateways of others that a package registry has, at fixed versions: installed once, on demand, below the user's cache
 * folder. (One API comes as source or as an image only, so it is not among them.)
 */
import { spawn } from 'node:child_process';
import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../../src/embedded/ports.ts';
import { awaitAnswer } from '../await-answer.ts';
import { end } from '../children.ts';
import { scenarios } from './scenarios.ts';
import { plain, type Target } from './targets.ts';

type Say = (line: string) => void;

interface Peer {
  name: string;
  version: string;
  skipped: readonly string[];
  install(folder: string): Promise<void>;
  /** How it is run in front of an upstream. */
  prepare(folder: string, upstream: string, port: number): Promise<Invocation>;
}

interface Invocation {
  command: string;
  args: string[];
  env: Record<string, string>;
  headers: Record<string, string>;
  /** Resolves when it is ready. */
  readyPath: string;
}

const peers: readonly Peer[] = [
  {
    name: 'Portkey',
    version: '1.15.2',
    skipped: [],
    async install(folder) {
      // With later versions of this server, Portkey 1.15.2 answers every stream with 500, "TypeError: immutable".
      const overrides = { '@hono/node-server': '1.13.8' };
      const wanted = { private: true, dependencies: { '@portkey-ai/gateway': this.version }, overrides };
      await writeFile(join(folder, 'package.json'), JSON.stringify(wanted));
      await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], folder);
    },
    prepare: (folder, upstream, port) =>
      Promise.resolve({
        command: process.execPath,
        args: [join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js'), '--headless', `--port=${port}`],
        env: { NODE_ENV: 'production' },
        headers: {
          Authorization: 'Bearer sk-mock',
          'x-portkey-provider': 'openai',
          'x-portkey-custom-host': `${upstream}/v1`,
        },
        readyPath: '/',
      }),
  },
  {
    name: 'LiteLLM',
    version: '1.106.2',
    skipped: ['sse100ms-c1000'], // a thousand streams at some 25 a second would take minutes
    async install(folder) {
      await run('python3', ['-m', 'venv', 'venv'], folder);
      await run('venv/bin/pip', ['install', '--quiet', `litellm[proxy]==${this.version}`], folder);
    },
    async prepare(folder, upstream, port) {
      const route = `{ model: openai/mock, api_base: "${upstream}/v1", api_key: sk-mock }`;
      const lines = [
        `model_list: [{ model_name: mock, litellm_params: ${route} }]`,
        'litellm_settings: { telemetry: false, num_retries: 0, request_timeout: 120 }',
        'general_settings: { master_key: sk-bench }',
      ];
      const file = join(folder, 'bench.yaml');
      await writeFile(file, lines.join('\n'));
      return {
        command: join(folder, 'venv/bin/litellm'),
        args: ['--config', file, '--host', '127.0.0.1', '--port', String(port), '--num_workers', '1'],
        env: { LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_MODE: 'PRODUCTION', LITELLM_LOG: 'ERROR' },
        headers: { Authorization: 'Bearer sk-bench' },
        readyPath: '/health/liveliness',
      };
    },
  },
];

const readyMsMax = 120_000;

/** Installs and starts every peer that can be had here; says of the others why not. */
export async function startPeers(upstream: string, say: Say, add: (target: Target) => void): Promise<void> {
  for (const peer of peers) {
    try {
      add(await start(peer, await installed(peer, say), upstream));
    } catch (error) {
      say(`${peer.name} is left out: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

async function start(peer: Peer, folder: string, upstream: string): Promise<Target> {
  const [port = 0] = await freePorts([undefined]);
  const { command, args, env, headers, readyPath } = await peer.prepare(folder, upstream, port);
  const child = spawn(command, args, { cwd: folder, env: { ...process.env, ...env }, stdio: 'ignore' });
  let failure: Error | undefined;
  child.once('error', (error) => (failure = error));
  const stop = () => end(child);
  const origin = `http://127.0.0.1:${port}`;
  try {
    const hasEnded = () => failure !== undefined || child.exitCode !== null || child.signalCode !== null;
    await awaitAnswer(origin + readyPath, { hasEnded, waitMs: readyMsMax, name: peer.name });
  } catch (error) {
    if (child.pid !== undefined) await stop();
    throw error;
  }
  const { name, version } = peer;
  const skipped = [...peer.skipped, ...scenarios.flatMap(({ name, form }) => (form === 'chat' ? [] : name))];
  const title = `${name} ${version}`;
  return { ...plain, name, title, url: origin, headers, skipped, pid: child.pid ?? 0, stop };
}

/** The folder of a peer; made anew unless its installation once came to its end. */
async function installed(peer: Peer, say: Say): Promise<string> {
  const given = process.env['XDG_CACHE_HOME'];
  const cache = given !== undefined && given !== '' ? given : join(homedir(), '.cache');
  const folder = join(cache, 'tollgate', 'bench-peers', `${peer.name.toLowerCase()}-${peer.version}`);
  const mark = join(folder, '.installed');
  if (await access(mark).then(() => true, () => false)) return folder; // oxfmt-ignore
  say(`Installing ${peer.name} ${peer.version} in ${folder}; this once, it takes a minute or two ...`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await peer.install(folder);
  await writeFile(mark, '');
  return folder;
}

function run(command: string, args: string[], cwd: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 2, 2] });
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${command} ${args.join(' ')} ended with ${String(code)}`));
    });
  });
}

/** An S3 server for the benchmark: the one of the tests, over a folder that is thrown away. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../../src/embedded/ports.ts';
import { awaitAnswer } from '../await-answer.ts';
import { end } from '../children.ts';
import { root } from '../report.ts';

const accessKey = 'made-up-access-key';
const secretKey = 'made-up-secret-key';
const bucket = 'tollgate';

export interface S3Server {
  /** What a gateway needs in its environment to keep its blobs there. */
  env: Record<string, string>;
  stop: () => Promise<void>;
}

/** Starts one; it is built first where it is missing, which takes two minutes and needs Go. */
export async function startS3Server(): Promise<S3Server> {
  const find = `import('./scripts/go-programs.mjs').then(async ({ findS3Server }) => process.stdout.write(await findS3Server()))`;
  const program = execFileSync(process.execPath, ['--eval', find], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 2],
  });
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-bench-'));
  await mkdir(join(folder, bucket)); // a folder on the first level is a bucket
  const [port = 0] = await freePorts([undefined]);
  const endpoint = `http://127.0.0.1:${port}`;
  const flags = ['--port', `127.0.0.1:${port}`, '--health', '/health', '--keep-alive', '--quiet', 'posix', folder];
  const child = spawn(program, flags, {
    env: { ROOT_ACCESS_KEY: accessKey, ROOT_SECRET_KEY: secretKey, PATH: process.env['PATH'] },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const stop = async () => {
    await end(child);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
    await awaitAnswer(`${endpoint}/health`, { hasEnded, waitMs: 30_000, name: 'The S3 server' });
  } catch (error) {
    await stop();
    throw error;
  }
  const env = {
    S3_ENDPOINT: endpoint,
    S3_BUCKET: bucket,
    S3_ACCESS_KEY_ID: accessKey,
    S3_SECRET_ACCESS_KEY: secretKey,
  };
  return { env, stop };
}

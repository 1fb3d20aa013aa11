/** An S3 server of a test's own (versitygw over a temporary folder), killed and started again as the test likes. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ListMultipartUploadsCommand, ListObjectsV2Command, ListPartsCommand, NoSuchUpload } from '@aws-sdk/client-s3';
import { type S3StoreSettings, s3Client } from '../../src/blobs/s3/s3-connection.ts';
import { kill, until } from './process.ts';

export interface S3Server {
  /** The address without a slash at its end; the same after a restart. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly settings: S3StoreSettings;
  /** What a gateway needs in its environment to keep its blobs here. */
  readonly env: Record<string, string>;
  /** Another bucket, empty. */
  makeBucket(): Promise<S3StoreSettings>;
  /** SIGKILL; only `startAgain` starts it again. */
  kill(): Promise<void>;
  /** On the same port, with what was stored. */
  startAgain(): Promise<void>;
  /** It takes connections and answers nothing, until the answered function is called. */
  freeze(): () => void;
  stop(): Promise<void>;
}

const accessKey = 'made-up-access-key';
const secretKey = 'made-up-secret-key';

/** Starts one with an empty bucket. Needs the program that `npm run test:full` finds. */
export async function startS3Server(bucket = 'tollgate'): Promise<S3Server> {
  const program = process.env['TOLLGATE_TEST_S3_SERVER'];
  if (program === undefined) throw new Error("Run this with 'npm run test:full -- <file>': it needs an S3 server.");
  const root = await mkdtemp(join(tmpdir(), 'tollgate-s3-'));
  const data = join(root, 'data');
  await mkdir(join(data, bucket), { recursive: true }); // a folder on the first level is a bucket
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;

  async function start() {
    const flags = ['--port', `127.0.0.1:${port}`, '--health', '/health', '--keep-alive', '--quiet'];
    // What is known of an object is in its file's extended attributes. In a folder beside (`--sidecar`) it was not there
    // yet when the object was, and was lost when another one in the same folder was removed meanwhile.
    const child = spawn(program ?? '', [...flags, 'posix', data], {
      env: { ROOT_ACCESS_KEY: accessKey, ROOT_SECRET_KEY: secretKey, PATH: process.env['PATH'] },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    await until('the S3 server', async () => {
      if (child.exitCode !== null) throw new Error(`versitygw exited with ${child.exitCode}: ${said}`);
      const answer = await fetch(`${endpoint}/health`).catch(() => undefined);
      return answer?.ok ? true : undefined;
    });
    return child;
  }

  const settings: S3StoreSettings = {
    endpoint,
    publicEndpoint: undefined,
    bucket,
    region: 'us-east-1',
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
  };
  let running = await start();
  async function end(signal: NodeJS.Signals): Promise<void> {
    if (running.exitCode !== null || running.signalCode !== null) return;
    const ended = once(running, 'exit');
    running.kill(signal);
    await ended;
  }
  return {
    endpoint,
    bucket,
    settings,
    env: {
      S3_ENDPOINT: endpoint,
      S3_BUCKET: bucket,
      S3_ACCESS_KEY_ID: accessKey,
      S3_SECRET_ACCESS_KEY: secretKey,
    },
    async makeBucket() {
      const name = `b-${randomBytes(6).toString('hex')}`;
      await mkdir(join(data, name));
      return { ...settings, bucket: name };
    },
    kill: () => end('SIGKILL'),
    async startAgain() {
      running = await start();
    },
    freeze() {
      const { pid } = running;
      if (pid === undefined) throw new Error('the S3 server does not run');
      kill(pid, 'SIGSTOP');
      return () => kill(pid, 'SIGCONT');
    },
    async stop() {
      await end('SIGKILL');
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** The keys of all objects in a bucket, and of uploads that were begun and not ended, with how many parts they have. */
export async function everythingIn(
  settings: S3StoreSettings,
): Promise<{ keys: string[]; unfinished: { key: string; parts: number }[] }> {
  const client = s3Client(settings, settings.endpoint);
  const Bucket = settings.bucket;
  try {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }));
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }));
    const unfinished: { key: string; parts: number }[] = [];
    for (const { Key, UploadId } of Uploads) {
      const parts = await client.send(new ListPartsCommand({ Bucket, Key, UploadId })).catch((error: unknown) => {
        if (error instanceof NoSuchUpload) return undefined; // it has ended meanwhile
        throw error;
      });
      if (parts) unfinished.push({ key: String(Key), parts: parts.Parts?.length ?? 0 });
    }
    return { keys: Contents.map(({ Key }) => String(Key)), unfinished };
  } finally {
    client.destroy();
  }
}

/** One that nothing listened on a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  server.close();
  await once(server, 'close');
  return address.port;
}

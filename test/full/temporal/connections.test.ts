/**
 * The settings that lead to Temporal, each with the real server behind what asks for it: mutual TLS, an API key, another
 * namespace. And what every role reports when one of them is wrong.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import http2 from 'node:http2';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { after, before, describe, test } from 'node:test';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { freshDatabase, fromTestRun, type TestDatabase } from '../../support/database.ts';
import { type Environment, Installation, ready, until } from '../../support/process.ts';

const key = 'sk-tg-key-of-the-tests';
const behind = fromTestRun('TEMPORAL_ADDRESS');
let folder = '';
const path = (name: string) => join(folder, name);
const pem = (name: string) => readFileSync(path(name));
let home: Installation;
let database: TestDatabase;
const servers: { close(): void }[] = [];

/** Two authorities; of the first a server's certificate for localhost and a client's, of the second a client's. */
async function makeCertificates(): Promise<void> {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  await writeFile(path('names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1');
  const authority = (name: string) =>
    openssl(
      'req',
      '-x509',
      ...newKey,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
      '-subj',
      `/CN=${name}`,
      '-days',
      '2',
    );
  const signed = (name: string, by: string) => {
    openssl('req', ...newKey, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    const ca = ['-CA', `${by}.pem`, '-CAkey', `${by}.key`, '-CAcreateserial'];
    openssl('x509', '-req', '-in', `${name}.csr`, ...ca, '-out', `${name}.pem`, '-days', '2', '-extfile', 'names');
  };
  authority('ca');
  authority('other');
  signed('server', 'ca');
  signed('client', 'ca');
  signed('stranger', 'other');
}

/** TLS in front of Temporal that wants a certificate of the client. */
async function mutual(): Promise<string> {
  const [host, port] = behind.split(':');
  const server = tls.createServer(
    {
      ...{ key: pem('server.key'), cert: pem('server.pem'), ca: pem('ca.pem') },
      ...{ requestCert: true, rejectUnauthorized: true, ALPNProtocols: ['h2'] },
    },
    (socket) => {
      const upstream = net.connect(Number(port), host);
      socket.on('error', () => upstream.destroy()).pipe(upstream);
      upstream.on('error', () => socket.destroy()).pipe(socket);
    },
  );
  return listening(server);
}

const seen = new Set<string>();

/** TLS and HTTP/2 in front of Temporal that wants an API key with every call, of clients and workers. */
async function keyed(wanted: string): Promise<string> {
  const upstream = http2.connect(`http://${behind}`);
  servers.push(upstream);
  const server = http2.createSecureServer({ key: pem('server.key'), cert: pem('server.pem') });
  server.on('stream', (stream, headers) => {
    if (headers.authorization !== `Bearer ${wanted}`) {
      // Of gRPC: unauthenticated, in an answer of trailers only.
      const refusal = { 'grpc-status': '16', 'grpc-message': 'Request unauthorized.' };
      stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...refusal }, { endStream: true });
      return;
    }
    seen.add(String(headers[':path']));
    const call = upstream.request({ ...headers, ':scheme': 'http', ':authority': behind });
    call.on('response', (answer) => {
      if (!stream.headersSent) stream.respond(answer, { waitForTrailers: true });
    });
    let trailers: http2.IncomingHttpHeaders = {};
    call.on('trailers', (reported: http2.IncomingHttpHeaders) => {
      trailers = reported;
    });
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    stream.on('error', () => call.close()).on('close', () => call.close());
    call.on('error', () => stream.close());
    stream.pipe(call).pipe(stream);
  });
  return listening(server);
}

async function listening(server: net.Server | http2.Http2SecureServer): Promise<string> {
  servers.push(server);
  server
    .on('error', () => undefined)
    .on('sessionError', () => undefined)
    .on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `localhost:${(server.address() as AddressInfo).port}`;
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-tls-'));
  await makeCertificates();
  database = await freshDatabase();
  home = await Installation.make({
    DATABASE_URL: database.url,
    TOLLGATE_SECRET: 'a secret of forty characters for the tests',
    TOLLGATE_BOOTSTRAP_KEY: key,
  });
});
after(async () => {
  await home.remove();
  for (const server of servers) server.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

/** Registers, starts a worker and an API with these settings, and has a task made. */
async function works(env: Environment): Promise<void> {
  const migrated = await home.run(['migrate'], env);
  assert.deepEqual([migrated.code, migrated.stderr], [0, '']);
  const [worker, api] = [home.spawn(['worker'], env), home.spawn(['api'], env)];
  await worker.printed(/the worker runs/);
  const url = await api.printed(/"address":"(http:[^"]+)"/);
  await ready(url);
  const answer = await fetch(`${url}/v1/images/generations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', prefer: 'wait=60' },
    body: JSON.stringify({ model: 'sim-image', prompt: 'A gate' }),
  });
  const { id } = (await answer.json()) as { id: string };
  await until('the image', async () => {
    const got = await fetch(`${url}/v1/images/generations/${id}`, { headers: { authorization: `Bearer ${key}` } });
    return ((await got.json()) as { status: string }).status === 'succeeded' || undefined;
  });
  for (const role of [api, worker]) role.signal('SIGTERM');
  assert.deepEqual([(await api.ended).code, (await worker.ended).code], [0, 0]);
}

/** Both roles that can't do without Temporal end, and name this. */
async function isTold(env: Environment, ...wanted: readonly RegExp[]): Promise<void> {
  for (const role of ['migrate', 'worker']) {
    const { code, stderr, stdout } = await home.run([role], env);
    assert.equal(code, 1, `${role}: ${stdout}${stderr}`);
    for (const words of wanted) assert.match(stderr, words, role);
    assert.doesNotMatch(stderr, /\n +at /, `${role} shows no stack`);
    if (role === 'migrate') assert.match(stdout, /^The database is up to date\.$/m);
  }
}

describe('mutual TLS', () => {
  let env: Environment = {};
  before(async () => {
    env = {
      TEMPORAL_ADDRESS: await mutual(),
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: path('ca.pem'),
      TEMPORAL_TLS_CLIENT_CERT_PATH: path('client.pem'),
      TEMPORAL_TLS_CLIENT_KEY_PATH: path('client.key'),
    };
  });
  test('lets every role in that has a certificate', () => works(env));
  test('of another authority than the settings name is refused', () =>
    isTold({ ...env, TEMPORAL_TLS_SERVER_CA_CERT_PATH: path('other.pem') }, /TEMPORAL_TLS_SERVER_CA_CERT_PATH/));
  test('with a certificate of another authority, or without one, is refused by the server', async () => {
    const stranger = {
      TEMPORAL_TLS_CLIENT_CERT_PATH: path('stranger.pem'),
      TEMPORAL_TLS_CLIENT_KEY_PATH: path('stranger.key'),
    };
    await isTold({ ...env, ...stranger }, /TEMPORAL_TLS_CLIENT_CERT_PATH/);
    const none = { TEMPORAL_TLS_CLIENT_CERT_PATH: '', TEMPORAL_TLS_CLIENT_KEY_PATH: '' };
    await isTold({ ...env, ...none }, /TEMPORAL_TLS_CLIENT_CERT_PATH/);
  });
});

describe('an API key', () => {
  let env: Environment = {};
  before(async () => {
    env = {
      TEMPORAL_ADDRESS: await keyed('the-right-key'),
      TEMPORAL_API_KEY: 'the-right-key',
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: path('ca.pem'),
    };
  });
  test('goes with every call of clients and workers', async () => {
    await works(env);
    const service = '/temporal.api.workflowservice.v1.WorkflowService/';
    for (const call of ['StartWorkflowExecution', 'PollWorkflowTaskQueue', 'PollActivityTaskQueue'])
      assert.ok(seen.has(service + call), call);
  });
  test('that is wrong is named, and not shown', async () => {
    await isTold({ ...env, TEMPORAL_API_KEY: 'the-wrong-key' }, /TEMPORAL_API_KEY/, /^(?![\s\S]*the-wrong-key)/);
  });
});

describe('a namespace', () => {
  const namespace = `tests-${process.pid}`;
  before(async () => {
    const connection = await Connection.connect({ address: behind });
    const workflowExecutionRetentionPeriod = msToTs(86_400_000);
    await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod });
    await connection.close();
    // The server's parts hear of it one after the other.
  });
  test('other than default has its own tasks', () =>
    works({ TEMPORAL_ADDRESS: behind, TEMPORAL_NAMESPACE: namespace }));
  test('that is not there is named, with the way out', () =>
    isTold(
      { TEMPORAL_ADDRESS: behind, TEMPORAL_NAMESPACE: 'nowhere' },
      /TEMPORAL_NAMESPACE: .* has no namespace nowhere/,
      /temporal operator namespace create .*--namespace nowhere/,
    ));
});

/** The connection of a process that serves: each call is bounded and names the namespace, and promises stay as light as they are. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http2 from 'node:http2';
import { createServer, type Server, type Socket } from 'node:net';
import { test } from 'node:test';
import { servingConnection, type TemporalTarget } from '../../src/temporal/connection.ts';
import { checkTemporal } from '../../src/temporal/connection-errors.ts';
import { workerConnection } from '../../src/temporal/worker-connection.ts';
import { fromTestRun } from '../support/database.ts';

const targetOf = (address: string): TemporalTarget => ({
  ...{ address, namespace: 'default', apiKey: undefined, tls: undefined },
  ...{ cliPath: undefined, codecKeys: undefined, uiUrl: undefined },
});
/** What Node has noted in it. */
const notesIn = (promise: Promise<unknown>) => Object.getOwnPropertySymbols(promise).length;

test('calls with a deadline go through, and no promise of the process carries a context afterwards', async () => {
  const before = notesIn(Promise.resolve()); // the test runner's own
  const target = targetOf(fromTestRun('TEMPORAL_ADDRESS'));
  const connection = await servingConnection(target);
  await checkTemporal(connection, target);
  await connection.withDeadline(Date.now() + 5_000, () => connection.workflowService.getSystemInfo({}));
  assert.equal(notesIn(Promise.resolve()), before);
  await connection.close();
});

test("neither does any after a worker's connection was made", async () => {
  const before = notesIn(Promise.resolve());
  const connection = await workerConnection(targetOf(fromTestRun('TEMPORAL_ADDRESS')));
  assert.equal(notesIn(Promise.resolve()), before);
  await connection.close();
});

test('a server that never answers is given up', async () => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => void sockets.add(socket));
  const connection = await servingConnection(await listening(silent), 100);
  try {
    await assert.rejects(connection.workflowService.getSystemInfo({}), /DEADLINE_EXCEEDED|Deadline exceeded/i);
  } finally {
    await connection.close();
    for (const socket of sockets) socket.destroy();
    silent.close();
  }
});

test('a question about a schedule may take longer than the 5 s after which Temporal asks another worker; no other call may', async () => {
  const msGiven: Record<string, number> = {};
  const server = http2.createServer();
  server.on('stream', (stream, headers) => {
    const method = String(headers[':path']).split('/').at(-1) ?? '';
    msGiven[method] = msOf(String(headers['grpc-timeout']));
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': notFound }));
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.end();
  });
  const connection = await servingConnection(await listening(server));
  try {
    const { workflowService: service } = connection;
    await assert.rejects(service.describeSchedule({ namespace: 'default', scheduleId: 'any' }), /NOT_FOUND/);
    await assert.rejects(service.patchSchedule({ namespace: 'default', scheduleId: 'any' }), /NOT_FOUND/);
  } finally {
    await connection.close();
    server.close();
  }
  const { DescribeSchedule: question = 0, PatchSchedule: trigger = 0 } = msGiven;
  assert.ok(question > 5_000 && trigger > 0 && trigger <= 5_000, JSON.stringify(msGiven));
});

const notFound = '5';

async function listening(server: Server | http2.Http2Server): Promise<TemporalTarget> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return targetOf(`127.0.0.1:${address.port}`);
}

/** Of gRPC's `grpc-timeout`: a number and its unit. */
function msOf(timeout: string): number {
  const [, value, unit] = /^(\d+)([numSMH])$/.exec(timeout) ?? assert.fail(timeout);
  const msPerUnit = { n: 1e-6, u: 1e-3, m: 1, S: 1_000, M: 60_000, H: 3_600_000 } as const;
  return Number(value) * msPerUnit[unit as keyof typeof msPerUnit];
}

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { Client, Connection } from '@temporalio/client';
import { findTemporal } from '../../../src/embedded/temporal-binary.ts';
import { runningTemporal, startTemporal } from '../../../src/embedded/temporal-server.ts';
import { eventually, listeningHosts, temporaryFolder } from './support.ts';

const lines: string[] = [];
const say = (line: string) => void lines.push(line);
let cliPath = '';

before(async () => {
  cliPath =
    process.env['TOLLGATE_TEST_TEMPORAL_CLI'] ??
    (await findTemporal({ cliPath: process.env['TEMPORAL_CLI_PATH'], say }));
});

test('a server in memory starts on loopback ports with a UI, our search attributes and 30 days of retention, and stops', async () => {
  const server = await startTemporal({ cliPath, say });
  assert.equal((await fetch(server.uiUrl)).status, 200);
  await withClient(server.address, async ({ connection }) => {
    const { config } = await connection.workflowService.describeNamespace({ namespace: 'default' });
    assert.equal(Number(config?.workflowExecutionRetentionTtl?.seconds), 30 * 24 * 3600);
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: 'default' });
    for (const name of ['Account', 'Key', 'Model', 'Provider', 'Kind', 'Status'])
      assert.ok(`Tollgate${name}` in customAttributes, name);
  });
  assert.deepEqual([...new Set(await listeningHosts(server.pid))], ['127.0.0.1']);
  await server.stop();
  await server.exited;
  await assert.rejects(fetch(server.uiUrl));
});

test('a server with a data folder is adopted, restarted on its port with its state when killed, and replaced when its flags change', async () => {
  const dataDir = temporaryFolder();
  const first = await startTemporal({ cliPath, dataDir, say });
  await withClient(first.address, (client) =>
    client.workflow.start('waits', { workflowId: 'kept', taskQueue: 'unpolled' }),
  );
  await first.leave();

  const adopter = await startTemporal({ cliPath, dataDir, say });
  assert.equal(adopter.pid, first.pid);
  assert.deepEqual(await runningTemporal(dataDir), { address: first.address, uiUrl: first.uiUrl });
  process.kill(adopter.pid, 'SIGKILL');
  await eventually(() => assertHasWorkflow(adopter.address));
  await eventually(() => assert.notEqual(adopter.pid, first.pid));
  await adopter.leave();

  // What a start of another version leaves: the same file with another hash.
  const statePath = join(dataDir, 'temporal.json');
  const state = JSON.parse(await readFile(statePath, 'utf8')) as object;
  await writeFile(statePath, JSON.stringify({ ...state, hash: 'of other flags' }));
  const replacement = await startTemporal({ cliPath, dataDir, say });
  assert.notEqual(replacement.pid, adopter.pid);
  assert.equal(replacement.address, first.address);
  await assertHasWorkflow(replacement.address);
  await replacement.stop();
  assert.equal(await runningTemporal(dataDir), undefined);
});

const assertHasWorkflow = (address: string) =>
  withClient(address, async (client) => {
    assert.equal((await client.workflow.getHandle('kept').describe()).status.name, 'RUNNING');
  });

async function withClient(address: string, use: (client: Client) => Promise<unknown>): Promise<void> {
  const connection = await Connection.connect({ address });
  try {
    await use(new Client({ connection }));
  } finally {
    await connection.close();
  }
}

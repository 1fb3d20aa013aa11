/** `kill -HUP` on real processes. */
import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { freshDatabase, fromTestRun, type TestDatabase } from '../../support/database.ts';
import { Installation, ready, type Running, until } from '../../support/process.ts';

const key = 'sk-tg-a-key-that-the-operator-chose-for-this-test';

let database: TestDatabase;
let home: Installation;
before(async () => {
  database = await freshDatabase();
  home = await Installation.make({
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: fromTestRun('TEMPORAL_ADDRESS'),
    TOLLGATE_SECRET: 'a secret of the tests with 40 characters',
    TOLLGATE_BOOTSTRAP_KEY: key,
  });
});
after(async () => {
  await home.remove();
  await database.drop();
});

const file = () => join(home.folder, 'tollgate.yaml');
const written = (provider: string, price = '0.5') => `
providers: { ${provider}: { kind: simulator } }
models:
  - { id: poster, kind: image, routes: [{ provider: ${provider}, model: m }], price: { per_image: ${price} } }
`;

test('api and worker read their file again at SIGHUP, refuse a bad one with a line of the log, and go on', async () => {
  const api = home.spawn(['api']);
  const worker = home.spawn(['worker']);
  const url = await api.printed(/"address":"(http:[^"]+)"/);
  await ready(url);
  await worker.printed(/the worker runs/);
  const both = [api, worker];

  // The built-in configuration looks whether there is a file now.
  await writeFile(file(), written('first'));
  for (const line of await hangUp(both)) {
    assert.equal(line.msg, 'configuration re-read');
    assert.match(line.changes ?? '', /models added: poster; models removed: sim-chat, .*providers added: first/);
  }
  const created = await call('POST', '/v1/images/generations', { model: 'poster', prompt: 'A toll gate', n: 2 });
  assert.equal(created.status, 200);
  assert.equal((created.body['_local'] as { cost: number }).cost, 1);

  // Bad: every mistake is reported with its line, and nothing has changed.
  await writeFile(file(), written('second', 'much').replace('kind: image', 'kind: painting'));
  for (const line of await hangUp(both)) {
    assert.equal(line.msg, 'the configuration was not re-read; the one before stays in force');
    assert.equal(line.mistakes?.length, 2);
    for (const mistake of line.mistakes ?? []) assert.match(mistake, /^tollgate\.yaml:4: models\[0\]\.(kind|price)/);
  }
  assert.equal((await call('GET', '/v1/models/poster')).status, 200);

  // In use: the refusal names the task, and the task ends well.
  const running = await call('POST', '/ai/v1/images/generations', { model: 'poster', prompt: '[sim:delay=3s]' });
  await writeFile(file(), written('second'));
  for (const line of await hangUp(both)) {
    assert.match(
      line.mistakes?.[0] ?? '',
      new RegExp(`^providers\\.first: can't be removed: .*${String(running.body['id'])}`),
    );
  }
  const task = await until('the end of the task', async () => {
    const { body } = await call('GET', `/v1/images/generations/${String(running.body['id'])}`);
    return body['status'] === 'processing' ? undefined : body;
  });
  assert.equal(task['status'], 'succeeded');
  for (const line of await hangUp(both))
    assert.match(line.changes ?? '', /providers added: second; providers removed: first/);
  assert.equal((await call('POST', '/v1/images/generations', { model: 'poster', prompt: 'Again' })).status, 200);

  // Gone: what is built in doesn't come in the place of what the operator wrote.
  await rm(file());
  for (const line of await hangUp(both))
    assert.match(line.mistakes?.[0] ?? '', /tollgate\.yaml can't be read \(ENOENT\)/);

  for (const running of both) {
    running.signal('SIGTERM');
    const { code, stderr } = await running.ended;
    assert.equal(code, 0, stderr);
  }

  async function call(method: string, path: string, body?: unknown) {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  }
});

interface Line {
  msg: string;
  changes?: string;
  mistakes?: string[];
}

/** Sends SIGHUP to each, and answers the line that each has logged about it. */
async function hangUp(processes: readonly Running[]): Promise<Line[]> {
  const lines: Line[] = [];
  for (const running of processes) {
    const before = rereadLines(running).length;
    running.signal('SIGHUP');
    lines.push(await until('a line about the configuration', () => rereadLines(running)[before]));
  }
  return lines;
}

const rereadLines = ({ stderr }: Running): Line[] =>
  stderr
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.includes('re-read'))
    .map((line) => JSON.parse(line) as Line);

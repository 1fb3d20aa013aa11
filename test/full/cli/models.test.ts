/** `tollgate models` beside a running API process, which hears of it. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { freshDatabase, fromTestRun, type TestDatabase } from '../../support/database.ts';
import { Installation, ready, until } from '../../support/process.ts';

const file = `
providers: { simulator: { kind: simulator } }
models:
  - { id: poster, kind: image, routes: [{ provider: simulator, model: m }], price: { per_image: 0.5 } }
  - { id: vendor/clip-2, kind: video, published: false, routes: [{ provider: simulator, model: m }], price: { per_second: 0.5 } }
`;

let database: TestDatabase;
let home: Installation;
before(async () => {
  database = await freshDatabase();
  home = await Installation.make({
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: fromTestRun('TEMPORAL_ADDRESS'),
    TOLLGATE_SECRET: 'a secret of the tests with 40 characters',
  });
  await writeFile(join(home.folder, 'tollgate.yaml'), file);
});
after(async () => {
  await home.remove();
  await database.drop();
});

const notMaintained = { maintenance: false, maintenance_note: null, maintenance_until: null };

const run = (...args: string[]) => home.run(['models', ...args]);

test('models are listed and switched, a running API hears of it, and the log says who and why', async () => {
  const api = home.spawn(['api']);
  const url = await api.printed(/"address":"(http:[^"]+)"/);
  await ready(url);
  const published = async () => {
    const { health } = (await (await fetch(`${url}/api/models/health`)).json()) as { health: object };
    return Object.keys(health);
  };
  assert.deepEqual(await published(), ['poster']);

  const { stdout } = await run('list');
  assert.match(stdout, /^MODEL +KIND +PUBLISHED +MAINTENANCE +SWITCHED BY +WHEN\nposter +image +yes +no +- +-\n/);
  assert.match(stdout, /\nvendor\/clip-2 +video +no +no +- +-\n$/);

  const switched = await home.json('models', 'switch', 'vendor/clip-2', '--published', 'true', '--reason', 'it is out');
  const { switch: set, ...facts } = switched;
  assert.deepEqual(facts, {
    object: 'model',
    id: 'vendor/clip-2',
    kind: 'video',
    owned_by: 'tollgate',
    published: true,
    ...notMaintained,
    file: { published: false, ...notMaintained },
  });
  const { set_by, set_at, ...values } = set as Record<string, unknown>;
  assert.match(String(set_by), /^cli:./);
  assert.equal(typeof set_at, 'number');
  assert.deepEqual(values, {
    object: 'model_switch',
    model: 'vendor/clip-2',
    published: true,
    ...notMaintained,
    maintenance: null,
    set_by_email: null,
  });
  await until('the API to publish it', async () => ((await published()).length === 2 ? true : undefined));

  const line = await run('switch', 'poster', '--maintenance', 'true', '--published', 'file');
  assert.equal(line.stdout, 'poster  published yes  maintenance yes (switched)\n');
  assert.match((await run('list')).stdout, /^poster +image +yes +yes \(switched\) +cli:\S+ +\S+Z$/m);

  const { data } = await home.json('acts', 'list');
  const acts = (data as Record<string, unknown>[]).filter(({ action }) => action === 'model.switched');
  assert.deepEqual(
    acts.map(({ details, reason }) => [details, reason]),
    [
      [{ model: 'poster', published: 'file', maintenance: 'true' }, null],
      [{ model: 'vendor/clip-2', published: 'true', maintenance: 'file' }, 'it is out'],
    ],
  );
});

test('a maintenance has a note and an end, which the log has too', async () => {
  const [note, until] = ['New weights are being loaded.', '2999-01-01T00:00:00.000Z'];
  const maintained = ['--maintenance', 'true', '--note', note, '--until', until];
  const { maintenance, maintenance_note, maintenance_until } = await home.json(
    'models',
    'switch',
    'poster',
    ...maintained,
  );
  assert.deepEqual([maintenance, maintenance_note, maintenance_until], [true, note, Date.parse(until) / 1000]);
  const { data } = await home.json('acts', 'list');
  const [act] = data as Record<string, unknown>[];
  const said = { maintenance: 'true', maintenance_note: note, maintenance_until: until };
  assert.deepEqual(act?.['details'], { model: 'poster', published: 'file', ...said });
  assert.equal((await run('switch', 'poster', '--maintenance', 'file')).code, 0);
});

test('what is left of a model that is gone is listed, and can be removed', async () => {
  await run('switch', 'poster', '--maintenance', 'true');
  await writeFile(join(home.folder, 'tollgate.yaml'), file.replace(/ {2}- \{ id: poster.*\n/, ''));
  assert.match((await run('list')).stdout, /^poster +not configured +- +yes \(switched\) +cli:\S+ +\S+Z$/m);
  const refused = await run('switch', 'poster', '--maintenance', 'false');
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^The configuration has no model poster; .*\n$/);
  assert.equal((await run('switch', 'poster', '--maintenance', 'file')).stdout, 'poster  published -  maintenance -\n');
  assert.doesNotMatch((await run('list')).stdout, /^poster/m);
});

test('what makes no sense is refused', async () => {
  for (const [args, reported] of [
    [['switch', 'unknown', '--maintenance', 'true'], /^Model unknown not found\.\n$/],
    [['switch', 'vendor/clip-2'], /specify /],
    [['switch', 'vendor/clip-2', '--maintenance', 'false', '--note', 'why'], /need '--maintenance true'/],
    [['switch', 'vendor/clip-2', '--maintenance', 'true', '--until', '2001-01-01T00:00:00Z'], /must be in the future/],
    [['switch', 'vendor/clip-2', '--maintenance', 'true', '--note', 'x'.repeat(301)], /one line of 1 to 300/],
    [['switch', 'vendor/clip-2', '--published', 'yes'], /Must be true, false or 'file'/],
  ] as const) {
    const { code, stdout, stderr } = await run(...args);
    assert.notEqual(code, 0);
    assert.equal(stdout, '');
    assert.match(stderr, reported);
  }
});

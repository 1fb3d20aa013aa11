/** A worker that is killed at any step of a job at a provider: the job is bought once, and its task ends all the same. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { deriveKeys } from '../../src/config/secrets.ts';
import type { FixtureModel, ProviderFixture } from '../providers/contract/fixture.ts';
import { fixtures } from '../providers/contract/fixtures.ts';
import { openStandIn, type StandIn } from '../providers/contract/stand-in.ts';
import { freePorts } from '../../src/embedded/ports.ts';
import { freshDatabase, fromTestRun, type TestDatabase } from '../support/database.ts';
import { type FileServer, serveFiles } from '../support/file-server.ts';
import { mp4, png, wav } from '../support/media.ts';
import { assertLedgerAddsUp } from '../support/money.ts';
import { Installation, ready, type Running, until } from '../support/process.ts';
import {
  booked,
  callHook,
  type CallerMedia,
  type Created,
  createTask,
  type Customer,
  endOfTask,
  type LostEnd,
  lostEndOf,
  modelSettings,
  providerSettings,
} from '../support/provider-tasks.ts';
import { type JobStep, jobSteps, openWatched, type WatchedService } from '../support/watched-service.ts';

const secret = 'a secret of the tests with 40 characters';
const key = 'sk-tg-a-key-that-the-operator-chose-for-this-test';
/** Micro-units. */
const opening = 100_000_000n;
/** Shorter than a create that was killed is waited for: a create that can't be looked up has then failed. */
const deadlineSeconds = 20;
/** These kill the worker themselves, as they can't be held. */
const moments: readonly JobStep[] = ['the create was answered', 'all of the result was sent'];

/** A fixture with one of its models. The n-th job that its service takes is the task ordered for `steps[n - 1]`. */
interface Bench {
  fixture: ProviderFixture;
  model: FixtureModel;
  lost: LostEnd;
  standIn: StandIn;
  door: WatchedService;
  steps: JobStep[];
}

const files: { image: Buffer; video: Buffer } = { image: Buffer.alloc(0), video: Buffer.alloc(0) };
const benches = new Map<ProviderFixture, Bench>();
const tasks = new Map<string, Created>();
const reached = new Set<string>();
/** Micro-units by task. */
const charges = new Map<string, bigint>();
let isHolding = true;
let database: TestDatabase;
let callersFiles: FileServer;
let media: CallerMedia;
let home: Installation;
let worker: Running;
let customer: Customer;

before(async () => {
  files.image = await png({ width: 64, height: 48 });
  files.video = await mp4({ seconds: 1 });
  const uploads = { audio: wav({ seconds: 1, samplesPerSecond: 8_000 }), video: files.video };
  callersFiles = await serveFiles({
    'image.png': { type: 'image/png', bytes: files.image },
    'video.mp4': { type: 'video/mp4', bytes: uploads.video },
    'audio.wav': { type: 'audio/wav', bytes: uploads.audio },
  });
  const { url } = callersFiles;
  media = { image: `${url}/image.png`, video: `${url}/video.mp4`, audio: `${url}/audio.wav`, uploads };
  for (const fixture of fixtures) benches.set(fixture, await benchOf(fixture));
  await startGateway();
  await killAtEachStep();
});
after(async () => {
  await home.remove();
  for (const { standIn, door } of benches.values()) {
    await door.close();
    await standIn.close();
  }
  await callersFiles.close();
  await database.drop();
});

/** Two kills are enough: at the first one a task is at each step that can be held, and another one just beyond its create. */
async function killAtEachStep(): Promise<void> {
  const main = mainBench();
  const others = [...benches.values()].filter((bench) => bench !== main);
  const held = jobSteps.filter((step) => step !== firstStep && !moments.includes(step));
  for (const step of held) await order(main, step);
  for (const bench of [main, ...others]) await order(bench, firstStep);
  await until('all steps', () => (reached.size === tasks.size ? true : undefined));
  await order(main, 'the create was answered');
  await worker.ended;
  for (const { lost, fixture, standIn } of others) if (lost === 'called back') await callHook(fixture, standIn);

  worker = await startWorker();
  await order(main, 'all of the result was sent');
  await worker.ended;
  worker = await startWorker();
}

const [firstStep] = jobSteps;

for (const step of jobSteps) {
  test(`killed when ${step}, a worker leaves a task that succeeds`, () => assertSucceeds(mainBench(), step));
}

for (const fixture of fixtures) {
  test(`killed when ${firstStep} at ${fixture.definition.kind}, it leaves one job, and a task that ends as its provider allows`, async () => {
    const bench = benches.get(fixture);
    assert.ok(bench !== undefined);
    if (bench.lost === 'given up') await assertFails(bench);
    else await assertSucceeds(bench, firstStep);
    const reported = bench.standIn.paid.map(({ text, headers }) => `${String(headers['idempotency-key'])} ${text}`);
    if (bench.lost !== 'sent again') assert.equal(reported.length, bench.steps.length, 'a create for each task');
    else assert.deepEqual([new Set(reported).size, reported[0]?.startsWith('undefined')], [1, false]);
  });
}

test('the ledger adds up to what the tasks cost', async () => {
  await assertLedgerAddsUp(database.database, deriveKeys([secret]).first.ledger);
  const { rows } = await database.database.pool.query<{ available: bigint; held: bigint }>(
    'select available, held from accounts',
  );
  const left = [...charges.values()].reduce((available, charge) => available - charge, opening);
  assert.deepEqual(rows, [{ available: left, held: 0n }]);
});

async function benchOf(fixture: ProviderFixture): Promise<Bench> {
  const standIn = await openStandIn(fixture, files);
  const polling = fixture.models.filter(({ polls = true }) => polls);
  const model = polling.find(({ kind }) => kind !== 'avatar-talk') ?? polling[0] ?? fixture.models[0];
  assert.ok(model !== undefined);
  standIn.images = model.upscales ? 1 : 2;
  const steps: JobStep[] = [];
  const door = await openWatched(fixture, standIn, (step, jobId) => {
    if (steps[Number(jobId.replace('job-', '')) - 1] !== step) return false;
    const isFirst = !reached.has(nameOf(fixture, step));
    reached.add(nameOf(fixture, step));
    if (moments.includes(step) && isFirst) {
      worker.signal('SIGKILL');
      isHolding = false;
    }
    return isHolding;
  });
  return { fixture, model, lost: await lostEndOf(fixture, model), standIn, door, steps };
}

/** Its provider can be asked for a job whose create was lost, so that every task of it succeeds. */
function mainBench(): Bench {
  const bench = [...benches.values()].find(({ lost }) => lost === 'looked up');
  assert.ok(bench !== undefined);
  return bench;
}

async function startGateway(): Promise<void> {
  database = await freshDatabase();
  const [port = 0] = await freePorts([undefined]);
  const url = `http://127.0.0.1:${port}`;
  home = await Installation.make({
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: fromTestRun('TEMPORAL_ADDRESS'),
    ...{ PORT: String(port), PUBLIC_URL: url },
    TOLLGATE_SECRET: secret,
    TOLLGATE_ALLOW_PRIVATE_URLS: 'true',
    TOLLGATE_BOOTSTRAP_KEY: key,
    TOLLGATE_BOOTSTRAP_BALANCE: String(opening / 1_000_000n),
  });
  const all = [...benches.values()];
  const providers = all.map(({ fixture, door, lost }) => [
    fixture.definition.kind,
    providerSettings(fixture, door.baseUrl, {
      timeout_seconds: 10,
      ...(lost === 'given up' && { deadline_seconds: deadlineSeconds }),
    }),
  ]);
  const models = all.map(({ fixture: { definition }, model }) =>
    modelSettings(definition.kind, model, [definition.kind]),
  );
  const settings = JSON.stringify({ providers: Object.fromEntries(providers) as unknown, models });
  await writeFile(join(home.folder, 'tollgate.yaml'), settings);
  home.spawn(['api']);
  [worker] = await Promise.all([startWorker(), ready(url)]);
  customer = { url, key };
}

async function startWorker(): Promise<Running> {
  const running = home.spawn(['worker']);
  await running.printed(/the worker runs/);
  return running;
}

/** Creates the task that is to come to this step; back once the service has its create. */
async function order({ fixture, model, standIn, steps }: Bench, step: JobStep): Promise<void> {
  const count = steps.push(step);
  const wanted = { id: fixture.definition.kind, model, media };
  tasks.set(nameOf(fixture, step), await createTask(customer, wanted, { Prefer: 'wait=0' }));
  await standIn.received(count);
}

async function assertSucceeds({ fixture, model }: Bench, step: JobStep): Promise<void> {
  assert.ok(reached.has(nameOf(fixture, step)));
  const { id, address } = taskOf(fixture, step);
  const end = await endOfTask(customer, address);
  assert.equal(end.error, undefined, JSON.stringify(end.error));
  const expected = model.kind === 'image' ? files.image : files.video;
  assert.deepEqual(
    end.files.map((file) => file.equals(expected)),
    end.files.map(() => true),
  );
  const { types, charged } = await booked(customer, id);
  assert.deepEqual(
    types.filter((type) => type !== 'release'), // of what was held for more
    ['capture', 'hold'],
  );
  assert.ok(charged > 0 && charged === end.cost);
  charges.set(id, BigInt(Math.round(charged * 1e6)));
}

async function assertFails({ fixture }: Bench): Promise<void> {
  const { id, address } = taskOf(fixture, firstStep);
  assert.equal((await endOfTask(customer, address)).error?.code, 'upstream_timeout');
  assert.deepEqual(await booked(customer, id), { types: ['hold', 'release'], charged: 0 });
}

function taskOf(fixture: ProviderFixture, step: JobStep): Created {
  const task = tasks.get(nameOf(fixture, step));
  assert.ok(task !== undefined);
  return task;
}

const nameOf = ({ definition }: ProviderFixture, step: JobStep): string => `${definition.kind}: ${step}`;

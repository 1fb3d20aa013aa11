/** Every kind of provider behind the whole gateway: what each of its models delivers and costs, and how each failure ends. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { FixtureModel, ProviderFixture, SeenRequest } from '../providers/contract/fixture.ts';
import { fixtures } from '../providers/contract/fixtures.ts';
import { type NextCreate, openStandIn, type StandIn } from '../providers/contract/stand-in.ts';
import { probeMedia } from '../../src/media/probe.ts';
import { bytesReader } from '../../src/media/reader.ts';
import { type FileServer, serveFiles } from '../support/file-server.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { mp4, png, wav } from '../support/media.ts';
import { assertLedgerAddsUp } from '../support/money.ts';
import {
  booked,
  callHook,
  type CallerMedia,
  type Created,
  createTask,
  type Customer,
  endOfTask,
  lostEndOf,
  modelSettings,
  perImage,
  perSecond,
  providerSettings,
  type TaskEnd,
} from '../support/provider-tasks.ts';

const opening = 10;
const deadlineSeconds = 4;

/** A fixture with two services of its own, and the names in the settings. */
interface Bench {
  fixture: ProviderFixture;
  first: StandIn;
  second: StandIn;
}

let gateway: TestGateway;
let callersFiles: FileServer;
let media: CallerMedia;
const files: { image: Buffer; video: Buffer } = { image: Buffer.alloc(0), video: Buffer.alloc(0) };
const benches = new Map<ProviderFixture, Bench>();

before(async () => {
  files.image = await png({ width: 64, height: 48 });
  files.video = await mp4({ seconds: 1.4 });
  const uploads = { audio: wav({ seconds: 2, samplesPerSecond: 8_000 }), video: await mp4({ seconds: 0.5 }) };
  callersFiles = await serveFiles({
    'image.png': { type: 'image/png', bytes: await png({ width: 640, height: 480 }) },
    'video.mp4': { type: 'video/mp4', bytes: uploads.video },
    'audio.wav': { type: 'audio/wav', bytes: uploads.audio },
  });
  const { url } = callersFiles;
  media = { image: `${url}/image.png`, video: `${url}/video.mp4`, audio: `${url}/audio.wav`, uploads };
  for (const fixture of fixtures) {
    const [first, second] = await Promise.all([openStandIn(fixture, files), openStandIn(fixture, files)]);
    benches.set(fixture, { fixture, first, second });
  }
  gateway = await startTestGateway({ configuration: configuration() });
});
after(async () => {
  await gateway.stop();
  await callersFiles.close();
  for (const { first, second } of benches.values()) await Promise.all([first.close(), second.close()]);
});

/** Each model four times: on one provider, on one with a short deadline, on one without patience, and on two, of which the second is tried later. */
function configuration(): string {
  const all = [...benches.values()];
  const providers = all.flatMap(({ fixture, first, second }) => {
    const { kind } = fixture.definition;
    return [
      [kind, providerSettings(fixture, first.baseUrl)],
      [`${kind}-brief`, providerSettings(fixture, first.baseUrl, { deadline_seconds: deadlineSeconds })],
      [`${kind}-impatient`, providerSettings(fixture, first.baseUrl, { rate_limit_patience_seconds: 0 })],
      [`${kind}-second`, providerSettings(fixture, second.baseUrl)],
    ] as const;
  });
  const models = all.flatMap(({ fixture }) =>
    fixture.models.flatMap((model) => {
      const { kind } = fixture.definition;
      const id = idOf(fixture, model);
      return [
        modelSettings(id, model, [kind]),
        modelSettings(`${id}-brief`, model, [`${kind}-brief`]),
        modelSettings(`${id}-impatient`, model, [`${kind}-impatient`]),
        modelSettings(`${id}-twice`, model, [kind, `${kind}-second`]),
      ];
    }),
  );
  return JSON.stringify({ providers: Object.fromEntries(providers), models });
}

/** Such as `replicate-avatar-talk`, or `fal-image-2` for a second one of its kind. */
function idOf({ definition, models }: ProviderFixture, model: FixtureModel): string {
  const place = models.filter(({ kind }) => kind === model.kind).indexOf(model);
  return `${definition.kind}-${model.kind}${place > 0 ? `-${place + 1}` : ''}`;
}

describe('each kind of provider', { concurrency: true }, () => {
  for (const fixture of fixtures) {
    describe(fixture.definition.kind, { concurrency: false }, () => {
      for (const model of fixture.models) {
        const id = idOf(fixture, model);
        test(`${id} delivers what the provider made, for its price`, async () => {
          const { first } = benchOf(fixture);
          const seen = { paid: first.paid.length, asked: first.asked.length };
          const { customer, created, end } = await bought(fixture, model, {
            ...(model.kind === 'avatar-talk' && { meanwhile: () => assertLinked(first.paid.at(-1)) }),
          });
          assert.equal(created.status, 200, JSON.stringify(created.body));
          await assertDelivered(model, customer, created, end);
          const paid = first.paid.slice(seen.paid);
          assert.equal(paid.length, 1);
          const [job] = [...first.jobs.values()].slice(-1);
          const asked = first.asked.slice(seen.asked).filter((request) => mentions(request, job?.id ?? 'no job'));
          for (const request of [...paid, ...asked]) {
            fixture.assertSigned(request);
            assert.ok(!JSON.stringify(request).includes(customer.key), 'a provider never sees the key of a caller');
          }
        });
      }

      const plain = fixture.models.find(({ kind }) => kind !== 'avatar-talk') ?? firstOf(fixture.models);
      for (const [behaviour, status, code] of [
        ['refuses policy', 400, 'content_policy_violation'],
        ['refuses input', 400, 'invalid_parameter'],
        ['has an account failure', 502, 'upstream_error'],
      ] as const) {
        test(`a service that ${behaviour} is the task's record under ${status}, and costs nothing`, async () => {
          const { customer, created, end } = await bought(fixture, plain, { creates: [behaviour] });
          await assertFailed(plain, customer, created, end, { status, code });
          assert.doesNotMatch(
            JSON.stringify(end.record),
            /credit|balance|bill|paid|payment|overdue|arrear|quota|fund/i,
          );
        });
      }

      const polling = fixture.models.filter(({ polls = true }) => polls);
      const job = polling.find(({ kind }) => kind !== 'avatar-talk') ?? polling[0];
      if (job !== undefined) {
        for (const [behaviour, status, code] of [
          ['fails', 502, 'upstream_error'],
          ['fails by policy', 400, 'content_policy_violation'],
        ] as const) {
          test(`a job that ${behaviour} is the task's record under ${status}, and costs nothing`, async () => {
            const { first } = benchOf(fixture);
            first.jobsEnd(behaviour);
            const { customer, created, end } = await bought(fixture, job);
            await assertFailed(job, customer, created, end, { status, code });
          });
        }
      }

      test('a busy service is asked again until it takes the task, which is charged once', async () => {
        const { first } = benchOf(fixture);
        const seen = first.paid.length;
        first.images = plain.upscales ? 1 : 2;
        const { customer, created, end } = await bought(fixture, plain, { creates: ['is busy', 'takes'] });
        await assertDelivered(plain, customer, created, end);
        assert.equal(first.paid.length - seen, 2);
      });

      test('a service that is busy for too long is the record under 429, with when to try again', async () => {
        const { first } = benchOf(fixture);
        first.retryAfter = '7';
        const { customer, created, end } = await bought(fixture, plain, { creates: ['is busy'], on: 'impatient' });
        first.retryAfter = undefined;
        await assertFailed(plain, customer, created, end, { status: 429, code: 'upstream_rate_limited' });
        if (plain.kind !== 'avatar-talk') assert.equal(created.headers.get('retry-after'), '7');
      });

      test('a busy service is left for the next route, and the task is charged once', async () => {
        const { first, second } = benchOf(fixture);
        const seen = [first.paid.length, second.paid.length] as const;
        second.images = plain.upscales ? 1 : 2;
        const { customer, created, end } = await bought(fixture, plain, { creates: ['is busy'], on: 'twice' });
        await assertDelivered(plain, customer, created, end);
        assert.deepEqual([first.paid.length - seen[0], second.paid.length - seen[1]], [1, 1]);
      });

      const answering = fixture.models.find(({ polls = true }) => !polls);
      for (const model of [job, answering].filter((each) => each !== undefined)) {
        test(`${idOf(fixture, model)} is bought once when the answer to its create is lost`, () =>
          assertBoughtOnce(fixture, model));
      }
    });
  }
});

test('the ledger adds up', () => assertLedgerAddsUp(gateway.core.database, gateway.core.secrets.first.ledger));

/** A create that the service took, and whose answer never came. */
async function assertBoughtOnce(fixture: ProviderFixture, model: FixtureModel): Promise<void> {
  const { first } = benchOf(fixture);
  const before = first.paid.length;
  const lost = await lostEndOf(fixture, model);
  const { customer, created, end } = await bought(fixture, model, {
    creates: lost === 'sent again' ? ['loses', 'takes'] : ['loses'],
    ...(lost === 'given up' && { on: 'brief' }),
    ...(lost === 'called back' && { meanwhile: () => callHook(fixture, first) }),
  });
  const creates = first.paid.slice(before);
  if (lost === 'given up') {
    // Nothing can arrive any more where the answer would have been the result.
    const isLost = model.polls === false;
    const expected = isLost ? { status: 502, code: 'upstream_error' } : { status: 504, code: 'upstream_timeout' };
    await assertFailed(model, customer, created, end, expected);
  } else {
    await assertDelivered(model, customer, created, end);
  }
  if (lost !== 'sent again') {
    assert.equal(creates.length, 1);
    return;
  }
  const key = creates[0]?.headers['idempotency-key'];
  assert.ok(typeof key === 'string' && key !== '', 'it bears a key');
  const same = { text: creates[0]?.text, key };
  const reported = creates.map(({ text, headers }) => ({ text, key: headers['idempotency-key'] }));
  assert.deepEqual(reported, [same, same]);
}

interface Bought {
  customer: Customer;
  created: Created;
  end: TaskEnd;
}

interface HowBought {
  creates?: NextCreate[];
  /** The model's other names in the settings. */
  on?: 'brief' | 'impatient' | 'twice';
  /** Done once the create has come. */
  meanwhile?: () => Promise<void>;
}

/** Buys a task with a key of an account of its own. The service takes it unless `creates` says otherwise. */
async function bought(
  fixture: ProviderFixture,
  model: FixtureModel,
  { creates = ['takes'], on, meanwhile }: HowBought = {},
): Promise<Bought> {
  const { first } = benchOf(fixture);
  const before = first.paid.length;
  first.creates(...creates);
  first.images = model.upscales ? 1 : 2;
  const { key } = await gateway.newKey({ balance: String(opening) });
  const customer = { url: gateway.url, key };
  const id = idOf(fixture, model) + (on === undefined ? '' : `-${on}`);
  const creating = createTask(customer, { id, model, media });
  const [created] = await Promise.all([creating, meanwhile && first.received(before + 1).then(meanwhile)]);
  const end = await endOfTask(customer, created.address);
  first.creates('takes');
  first.jobsEnd('succeeds');
  return { customer, created, end };
}

async function assertDelivered(model: FixtureModel, customer: Customer, created: Created, end: TaskEnd): Promise<void> {
  assert.equal(end.error, undefined, JSON.stringify(end.error));
  const images = model.kind === 'image' ? (model.upscales ? 1 : 2) : 0;
  assert.deepEqual(
    end.files.map((file) => file.equals(images > 0 ? files.image : files.video)),
    Array.from({ length: images || 1 }, () => true),
  );
  const cost = images > 0 ? images * perImage : await priceOfFilm();
  assert.equal(end.cost, cost);
  const { types, charged } = await booked(customer, created.id);
  assert.equal(charged, cost);
  assert.deepEqual(
    types.filter((type) => type !== 'release'), // of what was held for more
    ['capture', 'hold'],
  );
  const balance = Math.round((opening - cost) * 1e6) / 1e6;
  assert.deepEqual(await gateway.money(customer.key), { balance, held: 0 });
}

/** By the stored file's duration, to the millisecond. */
async function priceOfFilm(): Promise<number> {
  const { durationMs = 0 } = await probeMedia(bytesReader(files.video));
  assert.ok(Math.abs(durationMs - 1_400) < 100, `it lasts ${durationMs} ms`);
  return Math.round(durationMs * perSecond * 1_000) / 1e6;
}

async function assertFailed(
  { kind }: FixtureModel,
  customer: Customer,
  { status, body, id }: Created,
  { error, record }: TaskEnd,
  expected: { status: number; code: string },
): Promise<void> {
  assert.equal(error?.code, expected.code, JSON.stringify(record));
  assert.doesNotMatch(JSON.stringify(error), /127\.0\.0\.1|https?:/);
  // A talk's creation answers before anything is known.
  if (kind === 'avatar-talk') assert.deepEqual([status, record['status']], [200, 'error']);
  else assert.deepEqual([status, body, record['status']], [expected.status, record, 'failed']);
  assert.deepEqual(await booked(customer, id), { types: ['hold', 'release'], charged: 0 });
  assert.deepEqual(await gateway.money(customer.key), { balance: opening, held: 0 });
}

/** The uploads are at the addresses that the service gets. */
async function assertLinked(create: SeenRequest | undefined): Promise<void> {
  const links = textsIn(create?.json).filter((text) => text.startsWith(`${gateway.url}/files/`));
  const uploads = await Promise.all(links.map(async (link) => Buffer.from(await (await fetch(link)).arrayBuffer())));
  const given = [media.uploads.audio, media.uploads.video];
  assert.deepEqual(
    given.map((file) => uploads.filter((upload) => upload.equals(file)).length),
    [1, 1],
  );
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function benchOf(fixture: ProviderFixture): Bench {
  const bench = benches.get(fixture);
  assert.ok(bench !== undefined);
  return bench;
}

function firstOf<Item>(items: readonly Item[]): Item {
  const [first] = items;
  assert.ok(first !== undefined);
  return first;
}

const mentions = ({ path, text }: SeenRequest, id: string): boolean =>
  new RegExp(`\\b${id}\\b`).test(`${path} ${text}`);

/**
 * The arrangement of docker-compose.yml by hand: it passes the public suite through its balancer, a deploy fails no request,
 * and it survives the death of one of each part under load, with no task lost and none charged twice.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { parse } from 'yaml';
import * as z from 'zod';
import { builtInConfiguration } from '../../../src/config/built-in.ts';
import { type Database, openDatabase } from '../../../src/postgres/database.ts';
import { chargeOf, doubleCreates, tasksOf } from '../../drills/checks.ts';
import { allEnded } from '../../drills/endings.ts';
import { Load } from '../../drills/load.ts';
import { configurationOf, openProviders, type Providers } from '../../drills/providers.ts';
import { openReceiver, type Receiver } from '../../drills/receiver.ts';
import { mp3, mp4, png, wav } from '../../support/media.ts';
import { until } from '../../support/process.ts';
import { publicSuite } from '../../support/public-suite/suite.ts';
import { generator } from '../../support/random.ts';
import { breakOff, download, manners } from '../../support/talks.ts';
import { Arrangement, type Part } from './arrangement.ts';
import { RetryingCallers } from './retrying.ts';

const key = 'sk-tg-a-key-that-the-operator-chose-for-this-test';
const owner = { email: 'owner@example.com', password: 'correct horse battery' };
const seed = 9;
const victims: readonly Part[] = ['api-1', 'worker-1', 'temporal', 'store', 'postgres', 'api-2', 'worker-2'];
/** So long the load goes on before a blow, and while a part is away. */
const calmMs = 3_000;
const awayMs = 2_000;
/** Longer than an API waits before it shows its end to who connects directly. */
const slowMs = 11_000;
/** The verdict on a download takes less than five seconds; the longest time of a claim is an hour. */
const verdictMsMax = 10_000;
const talks = '/v1/svctalk/generate';

/** In the order of their opening; the last is closed first. */
const closers: (() => Promise<unknown>)[] = [];
let video: Buffer;
let providers: Providers;
let receiver: Receiver;
let arrangement: Arrangement;
let database: Database;

before(async () => {
  video = await mp4({ seconds: 1 });
  providers = await openProviders({ image: await png({ width: 64, height: 48 }), video }, seed);
  for (const provider of allOf(providers)) closers.push(() => provider.close());
  receiver = await openReceiver(generator(seed));
  closers.push(() => receiver.close());
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-config-'));
  closers.push(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'tollgate.yaml'), JSON.stringify(withDrillModels()));
  arrangement = await Arrangement.open({ configurationFolder: folder, key, ...owner });
  closers.push(() => arrangement.close());
  database = openDatabase(arrangement.databaseUrl, { onIdleError: () => undefined });
  closers.push(() => database.close());
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

test('the gateway’s role owns its database, may do nothing else, and reaches no other one', async () => {
  const { rows } = await database.pool.query(
    `select rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls as "mayMore" from pg_roles
     where rolname = current_user`,
  );
  assert.deepEqual(rows, [{ mayMore: false }]);
  for (const name of ['temporal', 'temporal_visibility', 'postgres']) {
    const other = new URL(arrangement.databaseUrl);
    other.pathname = `/${name}`;
    const wrong = openDatabase(other.href, { onIdleError: () => undefined });
    await assert.rejects(wrong.pool.query('select 1'), /permission denied for database/);
    await wrong.close();
  }
});

for (const job of ['schema', 'namespace', 'bucket', 'migration'])
  test(`the job ${job} changes nothing when it runs again`, async () => {
    const { code, stdout, stderr } = await arrangement.runJob(job);
    assert.equal(code, 0, stdout + stderr);
  });

describe('the public suite, through the balancer', () => {
  publicSuite(() => ({
    url: arrangement.url,
    apis: [arrangement.urlOf('api-1'), arrangement.urlOf('api-2')],
    key,
    owner,
  }));
});

test('through the balancer each caller is known by an address of their own, and metrics are not to be had', async () => {
  const { hostname: host, port } = new URL(arrangement.url);
  const ask = async (path: string, headers: Record<string, string> = {}, body?: string) => {
    const asked = request({ host, port, path, localAddress: '127.0.0.7', method: body ? 'POST' : 'GET', headers });
    asked.end(body);
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    response.resume();
    return { status: response.statusCode, cookie: response.headers['set-cookie']?.[0]?.split(';')[0] ?? '' };
  };
  const headers = { Origin: arrangement.url, 'Content-Type': 'application/json' };
  const { status, cookie } = await ask('/console/api/session', headers, JSON.stringify(owner));
  assert.equal(status, 200);
  const listed = await fetch(`${arrangement.url}/console/api/profile/sessions`, { headers: { Cookie: cookie } });
  const { data } = z
    .object({ data: z.array(z.object({ is_current: z.boolean(), address: z.string() })) })
    .parse(await listed.json());
  assert.equal(data.find((session) => session.is_current)?.address, '127.0.0.7');
  assert.equal((await ask('/metrics')).status, 404);
  assert.equal((await fetch(`${arrangement.urlOf('api-1')}/metrics`)).status, 200);
});

describe('of a result that is fetched once, through the balancer', () => {
  before(() => credit('100'));

  for (const [when, after_ms, ways] of [
    ['at once', 0, manners],
    ['late', slowMs, ['a reset', 'an end of its own side, then a close']],
  ] as const)
    for (const manner of ways)
      test(`a download that breaks off ${when} by ${manner} leaves the whole`, async () => {
        const { path, bytes, sha256 } = await newTalk();
        const at = { url: arrangement.url, path, key, closes: false };
        const read = await breakOff(at, Math.floor(bytes * 0.15), manner, after_ms);
        assert.ok(read < bytes / 2, `${read} of ${bytes} bytes were read`);
        assert.deepEqual(await answered(path), { status: 200, sha256 });
        assert.equal((await answered(path)).status, 404);
      });

  test('one who reads it whole, though slowly, has removed it', async () => {
    const { path, bytes } = await newTalk();
    const asked = request(`${arrangement.url}${path}`, { headers: { Authorization: `Bearer ${key}` } }).end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    await pause(slowMs);
    let read = 0;
    for await (const piece of response) read += (piece as Buffer).length;
    assert.equal(read, bytes);
    assert.equal((await answered(path)).status, 404);
  });
});

test('a deploy, a part after the other, breaks no connection and fails no request', async (t) => {
  const callers = new RetryingCallers(arrangement.url, key, 4);
  try {
    for (const part of ['worker-1', 'api-1', 'api-2'] as const) assert.equal(await arrangement.replace(part), 0, part);
  } finally {
    await callers.stop();
  }
  t.diagnostic(`${callers.tasks.size} orders`);
  assert.deepEqual({ failures: callers.failures, repeats: callers.repeats }, { failures: [], repeats: 0 });
});

test('a death of one of each part under load loses no task, charges none twice, and every failed request succeeds when repeated', async (t) => {
  await credit('2000');
  const load = new Load({
    ...{ urls: [arrangement.url], key, random: generator(seed + 1), callers: 3, misbehaviour: 0 },
    webhookUrl: receiver.url,
    uploads: {
      audio: wav({ seconds: 1, samplesPerSecond: 8_000 }),
      video,
      image: await png({ width: 64, height: 48 }),
    },
  });
  const retrying = new RetryingCallers(arrangement.url, key, 4);
  try {
    for (const part of victims) {
      await pause(calmMs);
      await arrangement.kill(part);
      await pause(awayMs);
      await arrangement.startAgain(part);
    }
    await pause(calmMs);
  } finally {
    await Promise.all([load.stop(), retrying.stop()]);
  }
  const left = await allEnded({ database }, { withHolds: true, onLeft: () => undefined });
  const tasks = await tasksOf({ database });
  t.diagnostic(
    `${tasks.size} tasks, ${load.calls.chat.made} streams, ${retrying.tasks.size} orders under keys with ${retrying.repeats} repeats`,
  );
  const all = [...tasks.values()];
  const accepted = [...load.orders.keys(), ...retrying.tasks.values()];
  assert.deepEqual(
    {
      ended: arrangement.endedByThemselves,
      wrong: load.wrong,
      unanswered: retrying.failures,
      lost: accepted.filter((id) => !tasks.has(id)),
      unfinished: all.filter(({ ended }) => !ended).map(({ id }) => id),
      // One that a repetition made besides would be a second task of the same key.
      double: new Set(retrying.tasks.values()).size === retrying.tasks.size,
      boughtTwice: doubleCreates(allOf(providers)),
      wronglyCharged: all.flatMap(chargeOf),
      left,
    },
    {
      ...{ ended: [], wrong: [], unanswered: [], lost: [], unfinished: [], double: true, boughtTwice: [] },
      ...{ wronglyCharged: [], left: { tasks: 0, webhooks: 0, holds: 0 } },
    },
  );
  assert.ok(retrying.tasks.size > 20);
  const { code, stdout, stderr } = await arrangement.run(['audit', '--deep']);
  assert.equal(code, 0, stdout + stderr);
});

const allOf = (providers: Providers) => [providers.images, providers.videos, providers.talks];

/** A task that is done, of a video which fits into the buffers on its way, so that an API has soon sent all of it. */
async function newTalk(): Promise<{ path: string; bytes: number; sha256: string }> {
  const form = new FormData();
  form.append('template_name', 'none');
  form.append('audio', new Blob([new Uint8Array(mp3({ seconds: 100 }))]), 'voice.mp3');
  form.append('video', new Blob([new Uint8Array(video)]), 'scene.mp4');
  const headers = { Authorization: `Bearer ${key}` };
  const created = await fetch(`${arrangement.url}${talks}`, { method: 'POST', body: form, headers });
  const { id } = z.object({ id: z.string() }).parse(await created.json());
  const file = await until('the video', async () => {
    const { rows } = await database.pool.query('select files from tasks where id = $1', [id]);
    return filesOf.parse(rows)[0]?.files?.[0];
  });
  assert.ok(file.bytes > 1_500_000, `${file.bytes} bytes`);
  return { path: `${talks}/${id}`, ...file };
}

const filesOf = z.array(z.object({ files: z.array(z.object({ bytes: z.number(), sha256: z.string() })).nullable() }));

/** What a download says once the one before it has its verdict. */
const answered = (path: string) =>
  until(
    'the verdict',
    async () => {
      const answer = await download(arrangement.url, path, key);
      return answer.status === 409 ? undefined : answer;
    },
    verdictMsMax,
  );

/** By the command line, in the containers' environment. */
async function credit(money: string): Promise<void> {
  const listed = await arrangement.run(['accounts', 'list', '--json']);
  const [account] = (JSON.parse(listed.stdout) as { data: { id: string }[] }).data;
  const { code, stdout, stderr } = await arrangement.run(['accounts', 'credit', account?.id ?? '', money]);
  assert.equal(code, 0, stdout + stderr);
}

/** The built-in models, and those of the drills, whose providers know what they were asked. */
function withDrillModels(): unknown {
  interface Configuration {
    providers: Record<string, unknown>;
    models: { id: string }[];
  }
  const builtIn = parse(builtInConfiguration) as Configuration;
  const drills = configurationOf(providers, 'production', 60) as Configuration;
  const more = drills.models.filter(({ id }) => id.startsWith('drill-'));
  return { ...builtIn, providers: drills.providers, models: [...builtIn.models, ...more] };
}

/** Killing any process at any moment loses no task and charges none twice. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Gateway, Installation, kill, until } from '../support/process.ts';
import { generator } from '../support/random.ts';

/** What each task costs: an image, 5 s of the fast video, 4 s of avatar-talk. */
const prices = { image: 0.2, video: 0.5, avatar: 0.2 };
const opening = 100;

describe('a kill -9 loses no task and charges none twice', { concurrency: true }, () => {
  drill('of the whole gateway while tasks run', async (home, gateway) => {
    const tasks = await Tasks.create(home, gateway, 3);
    await pause(1_000);
    gateway.running.signal('SIGKILL');
    await gateway.running.ended;
    await tasks.finish(await home.start());
  });

  const seed = Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 1e9));
  drill(`of the whole gateway three times, soon after its answers (TEST_SEED=${seed})`, async (home, gateway) => {
    const random = generator(seed);
    const all: Tasks[] = [];
    for (let now = gateway, round = 0; ; round++, now = await home.start()) {
      now.key = gateway.key;
      if (round === 3) {
        for (const tasks of all) await tasks.finish(now, all.length);
        return;
      }
      all.push(await Tasks.create(home, now, 0));
      await pause(random() * 400);
      now.running.signal('SIGKILL');
      await now.running.ended;
    }
  });

  drill('of Temporal while tasks run', async (home, gateway) => {
    const tasks = await Tasks.create(home, gateway, 3);
    const { pid } = JSON.parse(await readFile(join(home.dataDir, 'temporal.json'), 'utf8')) as { pid: number };
    kill(pid, 'SIGKILL');
    await gateway.running.printed(/Temporal \(process \d+\) exited; restarting it/);
    await tasks.finish(gateway);
  });

  drill('of PostgreSQL while tasks run', async (home, gateway) => {
    const tasks = await Tasks.create(home, gateway, 3);
    const postmaster = (await home.servers()).find(({ commandLine }) => /postgres -D /.test(commandLine));
    kill(postmaster?.pid ?? assert.fail('there is no PostgreSQL'), 'SIGKILL');
    await gateway.running.printed(/PostgreSQL \(process \d+\) exited; restarting it/);
    await tasks.finish(gateway);
  });
});

function drill(what: string, run: (home: Installation, gateway: Gateway) => Promise<void>): void {
  test(what, async () => {
    const home = await Installation.make();
    try {
      await run(home, await home.start());
    } finally {
      await home.remove();
    }
  });
}

/** An image, a video and an avatar-talk task that were accepted. */
class Tasks {
  readonly #key: string;
  readonly #ids: { image: string; video: string; avatar: string };

  constructor(key: string, ids: { image: string; video: string; avatar: string }) {
    this.#key = key;
    this.#ids = ids;
  }

  static async create(home: Installation, { url, key = '' }: Gateway, delaySeconds: number): Promise<Tasks> {
    const prompt = `A drill [sim:delay=${delaySeconds}s]`;
    const json = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', Prefer: 'wait=0' };
    const create = async (path: string, init: RequestInit) => {
      const answer = await fetch(`${url}/v1${path}`, { method: 'POST', ...init });
      const body = (await answer.json()) as { id: string };
      assert.ok([200, 202].includes(answer.status), JSON.stringify(body));
      return body.id;
    };
    const form = new FormData();
    form.set('template_name', prompt);
    for (const [part, file] of [
      ['audio', 'voice.wav'],
      ['video', 'footage.mp4'],
    ] as const)
      form.set(part, new Blob([await readFile(join(home.dataDir, 'samples', file))]), file);
    const image = { model: 'sim-image', prompt };
    const videoBody = { model: 'sim-video-fast', prompt, duration: 5 };
    const [imageId, videoId, avatarId] = await Promise.all([
      create('/images/generations', { headers: json, body: JSON.stringify(image) }),
      create('/video/generations', { headers: json, body: JSON.stringify(videoBody) }),
      create('/svctalk/generate', { headers: { Authorization: json.Authorization }, body: form }),
    ]);
    return new Tasks(key, { image: imageId, video: videoId, avatar: avatarId });
  }

  /** Waits for the end of all and checks what they cost; `sets` such sets of tasks were all that the account bought. */
  async finish({ url }: Gateway, sets = 1): Promise<void> {
    const { image, video, avatar } = this.#ids;
    const [imageTask, videoTask, talk] = await Promise.all([
      this.#final(url, `/images/generations/${image}`),
      this.#final(url, `/video/generations/${video}`),
      this.#final(url, `/svctalk/generate/${avatar}`),
    ]);
    for (const task of [imageTask, videoTask]) assert.equal(task['status'], 'succeeded', JSON.stringify(task));
    assert.equal(talk['type'], 'video/mp4', JSON.stringify(talk));
    for (const [kind, id] of Object.entries(this.#ids)) {
      const page = await this.#json(url, `/account/ledger?limit=100&task_id=${id}`);
      const entries = page['data'] as { type: string; charged: number }[];
      assert.deepEqual(entries.map(({ type }) => type).sort(), ['capture', 'hold'], id);
      const charged = entries.reduce((sum, entry) => sum + entry.charged, 0);
      assert.equal(charged, prices[kind as keyof typeof prices], id);
    }
    const { balance, held } = await until('the end of all holds', async () => {
      const account = await this.#json(url, '/account');
      return account['held'] === 0 ? account : undefined;
    });
    assert.deepEqual([balance, held], [(opening * 10 - sets * 9) / 10, 0]);
  }

  /** The record of a task that no longer runs; of a fetched video its type. Errors while a server is away pass. */
  async #final(url: string, path: string): Promise<Record<string, unknown>> {
    return until(`the end of ${path}`, async () => {
      const answer = await this.#get(url, path);
      if (!answer || answer.status >= 500) return undefined;
      const type = answer.headers.get('content-type') ?? '';
      if (type === 'video/mp4') return { type, bytes: (await answer.arrayBuffer()).byteLength };
      const body = (await answer.json()) as Record<string, unknown>;
      return body['status'] === 'processing' ? undefined : body;
    });
  }

  async #json(url: string, path: string): Promise<Record<string, unknown>> {
    const answer = await this.#get(url, path);
    assert.ok(answer?.status === 200, path);
    return (await answer.json()) as Record<string, unknown>;
  }

  #get(url: string, path: string): Promise<Response | undefined> {
    return fetch(`${url}/v1${path}`, { headers: { Authorization: `Bearer ${this.#key}` } }).catch(() => undefined);
  }
}

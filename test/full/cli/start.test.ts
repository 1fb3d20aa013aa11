import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import * as z from 'zod';
import { probeMedia } from '../../../src/media/probe.ts';
import { withFileReader } from '../../../src/media/reader.ts';
import { fromTestRun } from '../../support/database.ts';
import { type Gateway, Installation, until } from '../../support/process.ts';

/** Everything but a pasted curl line is within this; on an idle machine a warm start takes 1 to 2 s. */
const quickS = 20;

describe('tollgate start', () => {
  let home: Installation;
  let gateway: Gateway;

  before(async () => {
    home = await Installation.make({}, "it's, a; ");
    gateway = await home.start();
  });
  after(() => home.remove());

  test('prints addresses, a key and what to do with them', () => {
    const { running, key } = gateway;
    assert.match(running.stdout, /^Temporal +http:\/\/127\.0\.0\.1:\d+$/m);
    assert.match(running.stdout, /^Log +data\/gateway\.log$/m);
    assert.match(key ?? '', /^sk-tg-[\w-]{43}$/);
    assert.match(running.stdout, /npx tollgate demo/);
  });

  test('prints the key twice at most, in a block that a page of a terminal nearly holds, and the sign-in last', () => {
    const { stdout } = gateway.running;
    assert.equal(stdout.split(gateway.key ?? '').length - 1, 2);
    const lines = stdout.trimEnd().split('\n');
    const signIn = lines.findIndex((line) => line.includes('sign in as'));
    assert.ok(lines.length - signIn <= 3, stdout);
    const rows = lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / 80)), 0);
    assert.ok(rows <= 75, `${rows} rows of 80 columns`);
  });

  test('logs the memory of each part when it is ready', async () => {
    const { memoryMib } = await until('the line', async () => {
      const lines = (await readFile(join(home.dataDir, 'gateway.log'), 'utf8')).split('\n');
      const ready = lines.find((line) => line.includes('"msg":"ready"'));
      return ready === undefined ? undefined : (JSON.parse(ready) as { memoryMib: Record<string, number> });
    });
    const { all, ...parts } = memoryMib;
    assert.deepEqual(Object.keys(parts), ['gateway', 'postgres', 'temporal']);
    for (const [part, mib] of Object.entries(parts)) assert.ok(mib > 20 && mib < 300, `${part} has ${mib} MiB`);
    assert.equal(
      all,
      Object.values(parts).reduce((sum, mib) => sum + mib, 0),
    );
  });

  let balance = 0;

  test('keeps its data folder to its owner', async () => {
    assert.equal((await stat(home.dataDir)).mode & 0o077, 0);
  });

  test('its curl lines work as they stand', async () => {
    const has = await home.bash('curl --version');
    assert.equal(has.code, 0, 'this test needs curl on the PATH');
    const lines = /Try it:\n\n([^]+)\nOr run/.exec(gateway.running.stdout)?.[1] ?? '';
    const { stdout, stderr } = await home.bash(lines);
    assert.equal(stderr, '');
    const streamed = stdout.split('\n').filter((line) => line.startsWith('data: '));
    assert.ok(streamed.length > 3);
    assert.equal(streamed.at(-1), 'data: [DONE]');
    const answers = stdout.split('\n').filter((line) => line !== '' && !line.startsWith('data: '));
    const [chat, response, vectors, verdict, ranking, ...media] = answers;
    const [image, imageId, laterImage, videoId, video, avatarId] = media;
    assert.deepEqual(pick(chat, 'object', 'model'), { object: 'chat.completion', model: 'sim-chat' });
    assert.deepEqual(pick(response, 'object', 'status'), { object: 'response', status: 'completed' });
    assert.match(vectors ?? '', /"embedding":\[/);
    assert.match(verdict ?? '', /"flagged":false/);
    assert.match(ranking ?? '', /"relevance_score":/);
    assert.deepEqual(pick(image, 'status', 'success'), { status: 'succeeded', success: true });
    assert.match(imageId ?? '', /^img_\w+$/);
    assert.equal(pick(laterImage, 'id')['id'], imageId);
    assert.match(videoId ?? '', /^vid_\w+$/);
    assert.deepEqual(pick(video, 'id', 'status'), { id: videoId, status: 'succeeded' });
    assert.match(avatarId ?? '', /^avt_\w+$/);
    const [saved, models, health, account, ledger, ...rest] = answers.slice(-5);
    assert.match(saved ?? '', /^200 video\/mp4 \d+ bytes$/);
    assert.match(models ?? '', /"sim-image"/);
    assert.match(health ?? '', /"available":true/);
    // Two images, a video and avatar-talk are 1.1 CNY, the ranking 0.01, the verdict 0.001; the rest less than a thousandth.
    ({ balance } = balanceOf(account));
    assert.ok(balance < 98.889 && balance > 98.888, String(balance));
    assert.equal(balanceOf(account).held, 0);
    assert.match(ledger ?? '', /"type":"capture"/);
    assert.deepEqual(rest, []);
    const facts = await withFileReader(join(home.folder, 'avatar-talk.mp4'), probeMedia);
    assert.deepEqual(
      { type: facts.mediaType, ms: facts.durationMs, audio: facts.hasAudio },
      { type: 'video/mp4', ms: 4000, audio: true },
    );
  });

  test('a second one on the same folder is refused with the address of the first, and disturbs nothing', async () => {
    const { size } = await stat(join(home.dataDir, 'gateway.log'));
    const { code, stdout, stderr } = await home.run(['start']);
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
    assert.equal(stderr, `Another gateway uses this data folder: it is running at ${gateway.url}.\n`);
    assert.ok(size > 0 && (await stat(join(home.dataDir, 'gateway.log'))).size >= size, 'the log was emptied');
    assert.equal((await fetch(`${gateway.url}/readyz`)).status, 200);
  });

  test('SIGTERM stops everything; the next start is quick and goes on with the same data', async (context) => {
    const coldSeconds = gateway.seconds;
    gateway.running.signal('SIGTERM');
    const { code, stderr } = await gateway.running.ended;
    assert.equal(code, 0, stderr);
    assert.match(stderr, /Stopping \.\.\.\nStopped\.\n$/);
    assert.deepEqual(await home.servers(), []);

    const { key } = gateway;
    gateway = await home.start();
    context.diagnostic(`cold start ${coldSeconds.toFixed(1)} s, warm start ${gateway.seconds.toFixed(1)} s`);
    assert.ok(gateway.seconds < quickS);
    assert.equal(gateway.key, undefined);
    const account = await fetch(`${gateway.url}/v1/account`, { headers: { Authorization: `Bearer ${key}` } });
    assert.equal(balanceOf(await account.text()).balance, balance);

    const line = await gateway.running.printed(/npx tollgate (keys create --account acc_\w+ --level admin)$/m);
    const made = await home.json(...line.split(' '));
    const withIt = await fetch(`${gateway.url}/v1/account`, {
      headers: { Authorization: `Bearer ${String(made['key'])}` },
    });
    assert.equal(withIt.status, 200);
  });

  test('two SIGINTs within milliseconds, as npm passes Ctrl-C on, are one', async () => {
    gateway.running.signal('SIGINT');
    setTimeout(() => gateway.running.signal('SIGINT'), 10);
    const { code, stderr } = await gateway.running.ended;
    assert.equal(code, 0, stderr);
    assert.match(stderr, /Stopped\.\n$/);
    assert.deepEqual(await home.servers(), []);
  });

  test('a port that is taken is reported in one line, and everything that was started is stopped', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const port = String(address !== null && typeof address === 'object' ? address.port : 0);
    const { code, stdout, stderr } = await home.run(['start'], { PORT: port, HOST: '127.0.0.1' });
    server.close();
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
    assert.equal(stderr, `Port ${port} on 127.0.0.1 is already in use. Set PORT to another port.\n`);
    assert.deepEqual(await home.servers(), []);
  });
});

test('all mistakes of the settings are reported at once, each on its line', async () => {
  const home = await Installation.make();
  try {
    const env = { PORT: 'eighty', LOG_LEVEL: 'loud', TOLLGATE_SECRET: 'short', TOLLGATE_CONFIG: 'nowhere.yaml' };
    const { code, stdout, stderr } = await home.run(['start'], env);
    assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
    const [heading, ...lines] = stderr.trimEnd().split('\n');
    assert.equal(heading, 'Invalid settings (4 errors):');
    assert.deepEqual(lines.map((line) => /^ {2}(\w+): \S/.exec(line)?.[1]).sort(), Object.keys(env).sort());
    await assert.rejects(stat(home.dataDir), { code: 'ENOENT' });
  } finally {
    await home.remove();
  }
});

describe('SIGINT during the first start', { concurrency: true }, () => {
  const moments: [string, (home: Installation) => Promise<boolean>][] = [
    ['at once', () => Promise.resolve(true)],
    ['while the database is made', async (home) => (await home.servers()).length > 0],
    ['while Temporal starts', async (home) => (await home.servers()).some(isTemporal)],
  ];
  const hindering = 'while the database is made'; // half a cluster is what a later start could stumble over
  for (const [moment, reached] of moments) {
    test(`${moment}, stops what was started by then${moment === hindering ? ' and hinders no later start' : ''}`, async () => {
      const home = await Installation.make();
      try {
        const starting = home.spawn(['start'], { TEMPORAL_CLI_PATH: await slowTemporal(home.folder) });
        await until(moment, async () => ((await reached(home)) ? true : undefined));
        starting.signal('SIGINT');
        const { code, stdout, stderr } = await starting.ended;
        // At once, Node itself may still be starting, and the signal ends it.
        assert.ok(code === 0 || (code === null && moment === 'at once'), `exit code ${code}: ${stderr}`);
        assert.equal(stdout, '');
        assert.deepEqual(await home.servers(), []);
        if (moment === hindering) await home.start();
      } finally {
        await home.remove();
      }
    });
  }
});

/** The Temporal CLI, its server two seconds late: on a busy machine the start would else be over before it is noticed. */
async function slowTemporal(folder: string): Promise<string> {
  const path = join(folder, 'slow-temporal');
  const script = `#!/bin/sh\n[ "$1" = server ] && sleep 2\nexec "${fromTestRun('TEMPORAL_CLI')}" "$@"\n`;
  await writeFile(path, script, { mode: 0o755 });
  return path;
}

const isTemporal = ({ commandLine }: { commandLine: string }) => commandLine.includes('server start-dev');

/** Some names of a JSON answer. */
function pick(answer: string | undefined, ...names: string[]): Record<string, unknown> {
  const all = JSON.parse(answer ?? 'null') as Record<string, unknown>;
  return Object.fromEntries(names.map((name) => [name, all[name]]));
}

const balanceOf = (account: string | undefined) =>
  z.object({ balance: z.number(), held: z.number() }).parse(JSON.parse(account ?? ''));

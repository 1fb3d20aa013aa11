/** The chat benchmark, as a small run: what it measures with must count right before its figures mean anything. */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { configurationFor } from '../../../bench/chat/gateway.ts';
import { cpuBetween, cpuTimes, residentMB } from '../../../bench/processes.ts';
import { HttpReader } from '../../../bench/chat/http-reader.ts';
import { checkLedger } from '../../../bench/chat/ledger-check.ts';
import { measure } from '../../../bench/chat/measure.ts';
import { type LoadGenerator, type Server, startFloor, startLoad, startMock } from '../../../bench/chat/parts.ts';
import { table } from '../../../bench/chat/report.ts';
import { type Scenario, scenarios } from '../../../bench/chat/scenarios.ts';
import { plain, type Target } from '../../../bench/chat/targets.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';

/** Without time to call again, every connection makes one call. */
const onceEach = { connections: 24, measureMs: 0, rampMs: 0 };
const whole: Scenario = { ...named('json-c32'), ...onceEach };
const streamed: Scenario = { ...named('sse-c32'), ...onceEach };
const messages: Scenario = { ...named('messages-c32'), ...onceEach };
const messagesStreamed: Scenario = { ...named('messages-sse-c32'), ...onceEach };
const translated: Scenario = { ...named('translated-sse-c32'), ...onceEach };
const paced: Scenario = { ...streamed, name: 'paced', chunks: 5, delayMs: 3 };

let mock: Server;
let floor: Server;
let load: LoadGenerator;
before(async () => {
  mock = await startMock();
  floor = await startFloor(mock.url);
  load = startLoad();
});
after(async () => {
  await load.stop();
  await floor.stop();
  await mock.stop();
});

const put = (scenario: Scenario, url = mock.url, limitMs = 30_000) =>
  load.run({ url, model: 'mock', headers: {}, scenario, limitMs });

describe('the load generator', () => {
  test('counts whole and streamed calls, straight to the upstream and through the floor', async () => {
    for (const url of [mock.url, floor.url]) {
      for (const scenario of [whole, messages]) {
        const ofWhole = await put(scenario, url);
        assert.deepEqual([ofWhole.calls, ofWhole.errors, ofWhole.firstError], [24, 0, undefined]);
      }
      for (const scenario of [streamed, paced, messagesStreamed]) {
        const result = await put(scenario, url);
        assert.deepEqual([result.calls, result.errors, result.firstError], [24, 0, undefined]);
        assert.equal(result.chunks, 24 * scenario.chunks);
        assert.ok(result.chunkAgeMs.p50 >= 0, 'upstream and load generator go by one clock');
      }
    }
  });

  test('begins as many calls a second as the scenario says', async () => {
    const { calls, errors } = await put({ ...whole, connections: 30, callsPerSecond: 100, measureMs: 300 });
    assert.deepEqual([calls, errors], [30, 0]);
  });

  for (const [leave, words] of [
    ['done', 'no data: [DONE]'],
    ['usage', 'no usage chunk'],
    ['chunk', '49 of 50 chunks'],
    ['end', 'cut off'],
  ] as const) {
    test(`counts a stream that lacks its ${leave} as an error`, async () => {
      const { calls, errors, firstError } = await put({ ...streamed, leave });
      assert.deepEqual([calls, errors], [0, 24]);
      assert.equal(firstError, words);
      const ofMessages = await put({ ...messagesStreamed, leave });
      assert.deepEqual([ofMessages.calls, ofMessages.errors], [0, 24]);
    });
  }

  test('counts an answer with another status than 200 as an error', async () => {
    const broken = await startFloor('http://127.0.0.1:1'); // connection refused
    try {
      const { calls, errors, firstError } = await put(whole, broken.url);
      assert.deepEqual([calls, errors], [0, 24]);
      assert.match(firstError ?? '', /^status 500/);
    } finally {
      await broken.stop();
    }
  });

  test('cuts off at its limit what does not end, and counts it as an error', async () => {
    const { calls, errors, firstError } = await put({ ...streamed, delayMs: 900 }, mock.url, 100);
    assert.deepEqual([calls, errors], [0, 24]);
    assert.equal(firstError, 'cut off by the time limit');
  });

  test('reads answers whatever way their bytes are cut', () => {
    const answers =
      'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello' +
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n';
    for (const size of [1, 2, 3, 7, 64, answers.length]) {
      const bodies: string[] = [];
      let body = '';
      const reader = new HttpReader({
        onHead: (status) => assert.equal(status, 200),
        onBody: (part) => (body += part.toString()),
        onEnd: (stays) => {
          assert.ok(stays);
          bodies.push(body);
          body = '';
        },
        onFault: (words) => assert.fail(words),
      });
      // One answer at a time, as on a connection that is kept.
      for (const answer of answers.split(/(?<=hello)/)) {
        for (let at = 0; at < answer.length; at += size) reader.read(Buffer.from(answer.slice(at, at + size)));
      }
      assert.deepEqual(bodies, ['hello', 'abc0123456789']);
    }
  });
});

/** Lends its name to a program below it, has that start another which works for 300 ms of CPU time, and reports its end. */
const family = `
  const { fork, spawnSync } = require('node:child_process');
  const work = 'while (process.cpuUsage().user < 300_000);';
  if (process.argv[2] === 'below') {
    process.title = 'postgres';
    process.send('named');
    process.on('message', () => { spawnSync(process.execPath, ['-e', work]); process.send('worked'); });
  } else {
    const below = fork(__filename, ['below']);
    below.on('message', (message) => process.send(message));
    process.on('message', (message) => below.send(message));
    process.on('disconnect', () => { below.kill(); process.exit(); });
  }
`;

test("the CPU time of a target holds that of PostgreSQL's back ends which were forked and ended meanwhile", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-test-'));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(`${folder}/family.cjs`, family);
  const child = fork(`${folder}/family.cjs`, { execArgv: [] });
  try {
    await once(child, 'message');
    const earlier = cpuTimes(child.pid!);
    child.send('work');
    await once(child, 'message');
    const used = cpuBetween(earlier, cpuTimes(child.pid!));
    assert.ok(used.postgres >= 250, `${used.postgres} ms`);
    assert.ok(residentMB(child.pid!, ['own']) > 0);
    assert.ok(residentMB(child.pid!) > residentMB(child.pid!, ['own']));
  } finally {
    child.disconnect();
    await once(child, 'exit');
  }
});

describe('with a gateway', () => {
  let gateway: TestGateway;
  before(async () => (gateway = await startTestGateway({ configuration: configurationFor(mock.url), worker: false })));
  after(() => gateway.stop());

  test('a measured run ends in a table, and the ledger says what was sent', async () => {
    const headers = { Authorization: `Bearer ${gateway.key}` };
    const { url } = gateway;
    const floorTarget: Target = { ...plain, ...floor, name: 'floor', title: 'floor' };
    const targets: Target[] = [
      floorTarget,
      { ...floorTarget, name: 'other', title: 'other', floor: 'other', twin: 'floor' },
      {
        ...{
          ...plain,
          name: 'tollgate',
          title: 'Tollgate',
          url,
          model: 'bench',
          headers,
          translatedModel: 'bench-translated',
        },
        ...{ pid: process.pid, counted: ['own'], stop: () => Promise.resolve() },
      },
    ];
    const measured = [];
    for (const scenario of [whole, streamed, messages, messagesStreamed, translated]) {
      for (const target of targets) measured.push(await measure(load, { target, scenario, round: 1, warmUpMs: 0 }));
    }
    for (const { errors, warmUp } of measured) assert.deepEqual([errors, warmUp.errors], [0, 0]);
    assert.match(table(translated, targets, measured), /^tollgate, CPU of a call ÷ sse-c32: ([\d.]+|–)\.$/m);
    const text = table(streamed, targets, measured);
    assert.match(text, /^\| floor \| [\d.]+ \| (1\.00|–) \| .* \| 0 of 24 \|$/m);
    assert.match(text, /^\| other \| [\d.]+ \| (1\.00|–) \|/m);
    assert.match(text, /^other ÷ floor, CPU of a call: ([\d.]+|–)\.$/m);
    assert.match(text, /^\| Tollgate \| .* \| 0 of 24 \|$/m);

    const purse = { databaseUrl: gateway.databaseUrl, account: gateway.account, openingBalance: 100 };
    const sent = { whole: 96, streamed: 144 };
    assert.deepEqual(
      (await checkLedger(purse, sent)).map(({ holds, words }) => (holds ? 'good' : words)),
      ['good', 'good', 'good'],
    );
    const notSent = await checkLedger(purse, { ...sent, whole: 97 });
    assert.deepEqual(
      notSent.map(({ holds }) => holds),
      [true, false, false],
    );
  });
});

function named(name: string): Scenario {
  return scenarios.find((scenario) => scenario.name === name) ?? assert.fail(`no scenario ${name}`);
}

/** What the figures of transfers rest on: whole transfers are counted, broken ones are reported, and ratios are of one round. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { formOf } from '../../../bench/transfers/form.ts';
import { forgetPeak, type Measurement, memoryMiB } from '../../../bench/transfers/measure.ts';
import type { Order } from '../../../bench/transfers/messages.ts';
import { type Floor, pieces, startFloor } from '../../../bench/transfers/parts.ts';
import { tables, verdictsOn } from '../../../bench/transfers/report.ts';
import { transfer } from '../../../bench/transfers/transfer.ts';

const bytes = 300_000;
const video = Buffer.from('a video');

let floor: Floor;
before(async () => {
  floor = await startFloor(bytes);
});
after(() => floor.stop());

test('uploads arrive as they are, several at once, and every byte is counted', async () => {
  const form = formOf(video, bytes);
  const whole = Buffer.concat([...form.pieces()]);
  assert.equal(whole.length, form.bytes);
  const requests = [1, 2].map(() => ({ url: floor.url, headers: {} }));
  const { answers, bytes: moved, failures } = await transfer({ way: 'up', requests, bytes }, video);
  assert.deepEqual(failures, []);
  assert.equal(moved, 2 * form.bytes);
  const sha256 = createHash('sha256').update(whole).digest('hex');
  assert.deepEqual(
    answers.map((answer): unknown => JSON.parse(answer)),
    [1, 2].map(() => ({ bytes: form.bytes, sha256 })),
  );
});

test('a download counts when all of it came; what breaks off or is refused is a failure', async () => {
  const order: Order = { way: 'down', requests: [{ url: floor.url, headers: {} }], bytes };
  assert.deepEqual((await transfer(order, video)).failures, []);
  assert.match((await transfer({ ...order, bytes: bytes + 1 }, video)).failures.join(), /300000 of 300001 bytes/);
  const broken = await serverOf(200, 10);
  const refusing = await serverOf(404, 0);
  try {
    for (const server of [broken, refusing]) {
      const { failures, bytes: moved } = await transfer(
        { ...order, requests: [{ url: urlOf(server), headers: {} }] },
        video,
      );
      assert.equal(failures.length, 1);
      assert.equal(moved, 0);
    }
  } finally {
    broken.close();
    refusing.close();
  }
});

test('the peak of memory is seen after it is over', () => {
  forgetPeak(process.pid);
  const before = memoryMiB(process.pid);
  let large: Buffer | undefined = Buffer.alloc(64 * 2 ** 20, 1);
  assert.equal(large.at(-1), 1);
  large = undefined;
  assert.ok(memoryMiB(process.pid).peak - before.now >= 32); // less than it is: garbage may have gone meanwhile
});

test('ratios are those of the same round, and what fails or grows too much is reported', () => {
  const one = (target: string, round: number, mbPerSecond: number, more: Partial<Measurement> = {}): Measurement => ({
    ...{ target, scenario: 'upload', atOnce: 1, round, mbPerSecond, cpuSecondsPerGB: 2, grownMiB: 3, failures: [] },
    ...more,
  });
  const all = [1, 2, 3].flatMap((round) => [one('floor', round, 100 * round), one('Tollgate', round, 80 * round)]);
  assert.match(tables(all, { bytes, rounds: 3 }), /\| Tollgate \| 160 \| 0\.80 \| 2\.00 \| 1\.00 \| 3 \| 3 \|/);
  assert.ok(verdictsOn(all).every(({ holds }) => holds));
  const wrong = (more: Partial<Measurement>) =>
    verdictsOn([one('floor', 1, 100), one('Tollgate', 1, 80, more)]).filter(({ holds }) => !holds);
  assert.equal(wrong({ grownMiB: 51 }).length, 1);
  assert.equal(wrong({ mbPerSecond: 49 }).length, 1);
  assert.equal(wrong({ failures: ['broken off'] }).length, 1);
});

test('a file for the floor has the size that was asked for', async () => {
  assert.equal((await buffer(Readable.from(pieces(bytes)))).length, bytes);
});

/** Promises `bytes` and sends so many of them. */
async function serverOf(status: number, sent: number): Promise<Server> {
  const server = createServer((_request, response) => {
    response.writeHead(status, status === 200 ? { 'Content-Length': bytes } : {});
    if (status !== 200) response.end();
    else response.write(Buffer.alloc(sent), () => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function urlOf(server: Server): string {
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return `http://127.0.0.1:${address.port}`;
}

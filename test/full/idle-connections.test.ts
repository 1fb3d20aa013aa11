/** Thousands of connections on which nothing, or next to nothing, comes: those who do send are served meanwhile. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openSocket } from '../support/raw-http.ts';
import { startTalkProcesses, type TalkProcesses } from '../support/talk-processes.ts';

const connections = 2_000;
let processes: TalkProcesses;
before(async () => {
  processes = await startTalkProcesses();
});
after(() => processes.stop());

test('2,000 connections that are idle or send slowly keep no client from being served, and are ended', async (t) => {
  const { url } = await processes.api();
  const headers = { Authorization: `Bearer ${processes.key}` };
  const sockets = [];
  let closed = 0;
  for (let at = 0; at < connections; at++) {
    const socket = await openSocket(url);
    sockets.push(socket.resume().once('close', () => closed++));
    if (at % 2 === 0) socket.write('GET /v1/account HTTP/1.1\r\nX-A: ');
  }
  const times: number[] = [];
  for (let round = 0; closed < connections; round++) {
    assert.ok(round < 900, `${connections - closed} are still open`);
    for (let at = round % 10; at < connections; at += 10) if (at % 2 === 0) sockets[at]?.write('a');
    const begun = performance.now();
    assert.equal((await fetch(`${url}/v1/account`, { headers })).status, 200);
    times.push(performance.now() - begun);
    await pause(100);
  }
  times.sort((a, b) => a - b);
  t.diagnostic(
    `${times.length} requests meanwhile, the median ${Math.round(times[times.length >> 1] ?? 0)} ms, the slowest ${Math.round(times.at(-1) ?? 0)} ms`,
  );
});

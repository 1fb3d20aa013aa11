/** The callers, each on a connection of its own: they ask for an image and wait until the answer's first byte comes. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpReader } from '../chat/http-reader.ts';
import type { Answer, Load, LoadResult } from './messages.ts';

/** Between the end of the last task of those that are spread, and that of all the others. */
export const burstPauseMs = 5_000;

/** When the task of the caller of this number has to end, in Unix ms. */
export function endOf({ firstEndMs, spread, endingPerSecond }: Load, number: number): number {
  if (number < spread) return firstEndMs + (number * 1_000) / endingPerSecond;
  return firstEndMs + (spread * 1_000) / endingPerSecond + burstPauseMs;
}

/** Has all callers come, and resolves when each has its answer, or was cut off. */
export async function runCallers(load: Load): Promise<LoadResult> {
  const result: LoadResult = { answers: [], faults: [] };
  const sockets = new Set<Socket>();
  const cutOff = () => sockets.forEach((socket) => socket.destroy(new Error('cut off by the time limit')));
  const limit = setTimeout(cutOff, load.limitMs - Date.now());
  const begunMs = Date.now();
  const calls: Promise<unknown>[] = [];
  for (let number = 0; number < load.callers; number++) {
    await sleep(Math.max(0, begunMs + (number * 1_000) / load.comingPerSecond - Date.now()));
    const { hostname, port } = new URL(load.url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    sockets.add(socket);
    const call = answerOf(socket, requestOf(load, number)).then(
      (answer) => result.answers.push({ ...answer, isSpread: number < load.spread }),
      (error: unknown) => result.faults.push(error instanceof Error ? error.message : String(error)),
    );
    calls.push(call.finally(() => sockets.delete(socket.destroy())));
  }
  if (Date.now() >= load.limitMs) cutOff(); // those that came after it
  await Promise.all(calls);
  clearTimeout(limit);
  return result;
}

/** Sends one request. The time is that of the system, which is the database's, too; it counts in whole milliseconds. */
function answerOf(socket: Socket, request: string): Promise<Omit<Answer, 'isSpread'>> {
  return new Promise((resolve, reject) => {
    let [status, firstByteMs] = [0, 0];
    const body: Buffer[] = [];
    const fail = (words: string) => reject(new Error(words));
    const reader = new HttpReader({
      onHead: (found) => (status = found),
      onBody: (part) => body.push(part),
      onEnd: () => {
        const id = /"id":\s*"([^"]+)"/.exec(Buffer.concat(body).toString())?.[1] ?? '';
        resolve({ id, status, firstByteMs });
      },
      onFault: fail,
    });
    socket.on('connect', () => socket.write(request));
    socket.on('data', (data: Buffer) => {
      if (firstByteMs === 0) firstByteMs = Date.now();
      reader.read(data);
    });
    socket.on('error', reject);
    socket.on('end', () => reader.close());
  });
}

/** The simulator ends a job when the delay in its prompt is over. */
function requestOf(load: Load, number: number): string {
  const delayMs = Math.max(0, Math.round(endOf(load, number) - Date.now()));
  const prompt = `A toll gate at dawn [sim:delay=${delayMs}ms]`;
  const body = JSON.stringify({ model: 'sim-image', prompt, size: '1024x1024' });
  const headers = {
    Host: new URL(load.url).host,
    Authorization: `Bearer ${load.key}`,
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    Accept: '*/*',
    'User-Agent': 'bench',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /v1/images/generations HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

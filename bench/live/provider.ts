/**
 * The provider, in a process of its own: Replicate's wire format (`src/providers/replicate`), with jobs that take until
 * the benchmark has them end. It notes when each create came and when each job was done, by its own clock.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { type Counts, orderSchema, type SeenJob } from './messages.ts';

interface KeptJob extends SeenJob {
  isTold: boolean;
}

const createSchema = z.object({ input: z.object({ prompt: z.string() }) });
const bodyBytesMax = 100_000;

/** What every job makes. */
const video = readFileSync(z.string().parse(process.env['VIDEO']));
const jobs = new Map<string, KeptJob>();
const counts: Omit<Counts, 'done'> = { created: 0, reported: 0, polls: 0 };
let url = '';

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://provider');
  const [, id, verb] = /^\/v1\/predictions\/([\w-]+)(\/cancel)?$/.exec(pathname) ?? [];
  const createdAt = Date.now();
  const parts: Buffer[] = [];
  let bytes = 0;
  request.on('data', (part: Buffer) => {
    bytes += part.length;
    if (bytes > bodyBytesMax) request.destroy();
    else parts.push(part);
  });
  request.on('end', () => {
    if (pathname === '/video.mp4') response.writeHead(200, { 'Content-Type': 'video/mp4' }).end(video);
    else if (pathname === '/v1/account') answer(response, 200, { type: 'user' });
    else if (request.method === 'POST' && id === undefined) create(response, Buffer.concat(parts), createdAt);
    else if (request.method === 'POST' && verb !== undefined) answer(response, 200, { id, status: 'canceled' });
    else poll(response, id ?? '');
  });
});
server.keepAliveTimeout = 120_000;
server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 }, () => {
  const address = server.address();
  if (address === null || typeof address !== 'object') return;
  url = `http://127.0.0.1:${address.port}`;
  process.send?.({ url });
});
process.once('disconnect', () => process.exit());

function create(response: ServerResponse, body: Buffer, createdAt: number): void {
  const { data } = createSchema.safeParse(JSON.parse(body.toString()));
  if (data === undefined) {
    answer(response, 422, { detail: '- input.prompt: is missing' });
    return;
  }
  const id = randomUUID();
  counts.created++;
  jobs.set(id, { prompt: data.input.prompt, createdAt, doneAt: null, polls: 0, isTold: false });
  answer(response, 201, { id, status: 'starting' });
}

function poll(response: ServerResponse, id: string): void {
  const job = jobs.get(id);
  if (!job) {
    answer(response, 404, { detail: 'Not found.' });
    return;
  }
  counts.polls++;
  job.polls++;
  const isDone = job.doneAt !== null && job.doneAt <= Date.now();
  if (isDone && !job.isTold) {
    counts.reported++;
    job.isTold = true;
  }
  const state = isDone ? { status: 'succeeded', output: `${url}/video.mp4` } : { status: 'processing', output: null };
  answer(response, 200, { id, ...state });
}

function answer(response: ServerResponse, status: number, json: unknown): void {
  const text = JSON.stringify(json);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}

process.on('message', (message) => {
  const order = orderSchema.parse(message);
  if (order.order === 'end') endOver(order.overMs);
  if (order.order !== 'report') return void process.send?.({ ...counts, done: countDone() } satisfies Counts);
  process.send?.(
    [...jobs.values()].map(({ prompt, createdAt, doneAt, polls }) => ({ prompt, createdAt, doneAt, polls })),
  );
});

function endOver(overMs: number): void {
  const begun = Date.now();
  const unfinished = [...jobs.values()].filter(({ doneAt }) => doneAt === null);
  for (const [index, job] of unfinished.entries()) job.doneAt = begun + ((index + 0.5) * overMs) / unfinished.length;
}

function countDone(): number {
  const now = Date.now();
  return [...jobs.values()].filter(({ doneAt }) => doneAt !== null && doneAt <= now).length;
}

/** Transfers as a client makes them: some at once, each on a connection of its own that it closes when it is done. */
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Form, formOf } from './form.ts';
import type { Order, Outcome, TransferRequest } from './messages.ts';

/** Makes all transfers of an order. */
export async function transfer({ way, requests, bytes }: Order, video: Buffer): Promise<Outcome> {
  const form = way === 'up' ? formOf(video, bytes) : undefined;
  const startedAt = performance.now();
  const made = await Promise.allSettled(requests.map((each) => (form ? upload(each, form) : download(each, bytes))));
  const ms = performance.now() - startedAt;
  const failures = made.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
  const done = made.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  return {
    ms,
    bytes: done.reduce((sum, each) => sum + each.bytes, 0),
    answers: done.map(({ answer }) => answer),
    failures,
  };
}

interface Made {
  bytes: number;
  answer: string;
}

async function upload({ url, headers }: TransferRequest, form: Form): Promise<Made> {
  const call = request(url, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': form.type, 'Content-Length': form.bytes },
    agent: new Agent(),
  });
  const answered = once(call, 'response') as Promise<[IncomingMessage]>;
  await Promise.all([pipeline(Readable.from(form.pieces()), call), answered]);
  const [answer] = await answered;
  const words = await text(answer);
  if (answer.statusCode !== 200) throw new Error(`an upload was answered ${answer.statusCode}: ${words}`);
  return { bytes: form.bytes, answer: words };
}

async function download({ url, headers }: TransferRequest, bytes: number): Promise<Made> {
  const call = request(url, { headers, agent: new Agent() });
  call.end();
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  if (answer.statusCode !== 200) throw new Error(`a download was answered ${answer.statusCode}: ${await text(answer)}`);
  let came = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) came += piece.length;
  if (came !== bytes) throw new Error(`a download brought ${came} of ${bytes} bytes`);
  return { bytes: came, answer: '' };
}

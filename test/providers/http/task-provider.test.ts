/** The calls round a wire format: what they bound, what they never do twice, and what they make of a broken answer. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { describe, test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import type { ProviderSettings } from '../../../src/domain/catalogue.ts';
import { GatewayError } from '../../../src/domain/errors.ts';
import type { TaskProvider } from '../../../src/providers/contract.ts';
import { createHttpTaskProvider } from '../../../src/providers/http/task-provider.ts';
import type { Polled, TaskWire } from '../../../src/providers/http/wire.ts';
import { imageJob } from '../../support/jobs.ts';

const signal = new AbortController().signal;
const MiB = 1024 * 1024;

describe('a create', () => {
  for (const [status, outcome] of [
    [400, 'refused'],
    [401, 'refused'],
    [408, 'unknown'],
    [409, 'refused'],
    [429, 'refused'],
    [500, 'unknown'],
    [502, 'unknown'],
    [503, 'unknown'],
    [504, 'unknown'],
  ] as const) {
    test(`answered ${status} is ${outcome}`, () =>
      answering(
        (_, response) => void response.writeHead(status).end('{"message":"No."}'),
        async ({ provider, requests }) => {
          assert.equal((await provider.submit(imageJob(), signal)).outcome, outcome);
          assert.equal(requests.length, 1);
        },
      ));
  }

  test('that the wire refuses is not sent', () =>
    answering(
      (_, response) => void response.end('{}'),
      async ({ provider, requests }) => {
        const submission = await provider.submit(imageJob({ prompt: 'impossible' }), signal);
        assert.ok(submission.outcome === 'refused');
        assert.deepEqual(
          [submission.error.code, submission.fallOver, requests.length],
          ['invalid_parameter', false, 0],
        );
      },
    ));

  test('whose answer breaks off, or has more than 8 MiB, is unknown', async () => {
    const answers: ((response: ServerResponse) => void)[] = [
      (response) => {
        response.writeHead(200, { 'content-length': 100 });
        response.write('{"id":');
        setImmediate(() => response.destroy());
      },
      (response) => {
        response.on('error', () => undefined); // the caller hangs up
        response.end(Buffer.alloc(9 * MiB, ' '));
      },
    ];
    for (const answer of answers) {
      await answering(
        (_, response) => answer(response),
        async ({ provider }) => assert.equal((await provider.submit(imageJob(), signal)).outcome, 'unknown'),
      );
    }
  });

  test('whose answer comes byte by byte is read whole', () =>
    answering(
      (_, response) => {
        const bytes = '{"id":"a job"}'.split('');
        const next = () => {
          const byte = bytes.shift();
          if (byte === undefined) return response.end();
          response.write(byte);
          return setImmediate(next);
        };
        next();
      },
      async ({ provider }) => {
        const submission = await provider.submit(imageJob(), signal);
        assert.deepEqual(submission, { outcome: 'accepted', jobId: 'a job' });
      },
    ));

  test('never uses a connection that another call used: it might just be closing', () =>
    answering(
      (_, response) => void response.end('{"id":"a job"}'),
      async ({ provider, requests }) => {
        await provider.submit(imageJob(), signal);
        await provider.submit(imageJob(), signal);
        await provider.poll('a job', imageJob(), signal);
        await provider.submit(imageJob(), signal);
        assert.equal(new Set(requests.map(({ socket }) => socket)).size, 4);
      },
    ));

  test('that reaches a connection, but no answer, is unknown; one that reaches none is refused', async () => {
    const server = createTcpServer((socket) =>
      socket.on('error', () => undefined).once('data', () => socket.destroy()),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    assert.ok(typeof address === 'object' && address !== null);
    const provider = providerAt(`http://127.0.0.1:${address.port}`);
    assert.equal((await provider.submit(imageJob(), signal)).outcome, 'unknown');
    server.close();
    await once(server, 'close');
    const submission = await provider.submit(imageJob(), signal);
    assert.ok(submission.outcome === 'refused');
    assert.equal(submission.fallOver, true);
    await provider.close?.();
  });
});

test('a poll whose answer has too many values, or is packed far too tightly, is not parsed and fails', async () => {
  const lists = `{"x":[${'[],'.repeat(260_000)}[]]}`;
  const zeros = `{"x":"${'0'.repeat(7 * MiB)}"}`;
  for (const [body, headers, error] of [
    [lists, {}, { name: 'TooManyValues' }],
    [gzipSync(gzipSync(zeros)), { 'content-encoding': 'gzip, gzip' }, { name: 'PackedTooTight' }],
    [brotliCompressSync(zeros), { 'content-encoding': 'br' }, { name: 'PackedTooTight' }],
  ] as const) {
    await answering(
      (_, response) => void response.writeHead(200, headers).end(body),
      ({ provider }) => assert.rejects(() => provider.poll('a job', imageJob(), signal), error),
    );
  }
});

test('a job whose result is behind call after call is not followed for ever', () =>
  answering(
    (_, response) => void response.end('{"again":true}'),
    async ({ provider, requests }) => {
      await assert.rejects(() => provider.poll('a job', imageJob(), signal));
      assert.ok(requests.length < 10);
    },
  ));

test("the operator's key is not in the caller's error, even if the service repeats it", () =>
  answering(
    (_, response) =>
      void response.writeHead(400).end('{"message":"The key a-key-of-the-operator may not use 10.1.2.3:80"}'),
    async ({ provider }) => {
      const submission = await provider.submit(imageJob(), signal);
      assert.ok(submission.outcome === 'refused');
      assert.equal(submission.error.message, 'The key [removed] may not use [removed]');
    },
  ));

interface Bench {
  url: string;
  provider: TaskProvider;
  requests: IncomingMessage[];
}

describe('the pace of polls', () => {
  test('is that of the kind, unless the settings name another', () => {
    assert.equal(providerAt('http://127.0.0.1:1').pollPauseMsMax, 5_000);
    assert.equal(providerAt('http://127.0.0.1:1', { pollIntervalMs: 30_000 }).pollPauseMsMax, 30_000);
  });

  test('keeps to the polls a second that the settings allow', () =>
    answering(
      (_, response) => void response.end('{}'),
      async ({ url }) => {
        const provider = providerAt(url, { maxPollsPerSecond: 0.1 });
        await provider.poll('a job', imageJob(), signal);
        const stop = new AbortController();
        const second = provider.poll('a job', imageJob(), stop.signal);
        stop.abort(); // its turn is ten seconds away
        await assert.rejects(second, { name: 'AbortError' });
        await provider.close?.();
      },
    ));
});

async function answering(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  use: (bench: Bench) => Promise<void>,
): Promise<void> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const url = `http://127.0.0.1:${address.port}`;
  const provider = providerAt(url);
  try {
    await use({ url, provider, requests });
  } finally {
    await provider.close?.();
    server.closeAllConnections();
    server.close();
  }
}

function providerAt(url: string, more: Partial<ProviderSettings> = {}): TaskProvider {
  const wire: TaskWire = {
    abilities: { idempotent: false, lookup: false, cancel: false, webhook: false },
    pollsPerSecondMax: 1_000,
    pollPauseMsMax: 5_000,
    create: ({ input }) => {
      if (input.kind === 'image' && input.request.prompt === 'impossible')
        throw new GatewayError('invalid_parameter', 'No.');
      return { method: 'POST', url: `${url}/jobs`, headers: {}, body: '{}' };
    },
    created: ({ json }) => ({ outcome: 'accepted', jobId: z.object({ id: z.string() }).parse(json).id }),
    poll: () => ({ method: 'GET', url: `${url}/jobs/1`, headers: {} }),
    polled: ({ json }) => {
      if (!z.object({ again: z.literal(true) }).safeParse(json).success) return { state: 'processing' };
      const again = { method: 'GET', url: `${url}/again`, headers: {} } as const;
      const read = (): Polled => ({ state: 'ask', call: again, read });
      return read();
    },
    probe: () => ({ method: 'GET', url, headers: {} }),
  };
  return createHttpTaskProvider(
    wire,
    {
      ...{ name: 'up', kind: 'acme', secrets: { api_key: 'a-key-of-the-operator' }, numbers: {}, headers: {} },
      ...{ timeoutMs: 2_000, idleTimeoutMs: 2_000, deadlineMs: 60_000 },
      ...more,
    },
    { fetchResult: () => Promise.reject(new Error('nothing is downloaded here')) },
  );
}

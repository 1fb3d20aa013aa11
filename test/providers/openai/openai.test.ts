import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { test } from 'node:test';
import type { AddressInfo } from 'node:net';
import { createOpenAiChat } from '../../../src/providers/openai/chat.ts';
import { chatAnswer, deltaEvent, errorAnswer } from '../../support/upstream.ts';
import { callOf, listen, settingsOf, withProvider } from './support.ts';

const never = new AbortController().signal;

/** What holds an answer up until it is released. */
function openGate(): { gate: Promise<void>; release: () => void } {
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (release = resolve));
  return { gate, release: () => release() };
}

test('a call goes out with its bytes, the key, our headers and the request id, and its answer comes back as it is', () =>
  withProvider(
    async (provider, upstream) => {
      const call = callOf({ model: 'm', messages: [] }, { requestId: 'abc-1' });
      const received = await listen(provider, call);
      const [request] = upstream.requests;
      assert.ok(request);
      assert.equal(request.method, 'POST');
      assert.equal(request.path, '/v1/chat/completions');
      assert.deepEqual(request.body, Buffer.concat(call.body));
      assert.equal(request.headers.authorization, 'Bearer sk-operator-1');
      assert.equal(request.headers['content-type'], 'application/json');
      assert.equal(request.headers['content-length'], String(request.body.length));
      assert.equal(request.headers['accept-encoding'], 'identity');
      assert.equal(request.headers['x-request-id'], 'abc-1');
      assert.equal(request.headers['x-client-request-id'], 'abc-1');
      assert.equal(request.headers['x-extra'], 'yes');
      assert.equal(request.headers['user-agent'], 'own');
      assert.equal(received.head?.status, 200);
      assert.equal(received.head.contentType, 'application/json');
      assert.deepEqual(JSON.parse(received.text), chatAnswer('Hello!').json);
    },
    { headers: { 'X-Extra': 'yes', 'User-Agent': 'own' } },
  ));

test('pieces arrive joined in order, small and large', () =>
  withProvider(async (provider, upstream) => {
    for (const bytes of [10, 100_000]) {
      const pieces = ['a', 'b', 'c'].map((letter) => Buffer.alloc(bytes, letter));
      await listen(provider, callOf(undefined, { body: pieces }));
      const seen = upstream.requests.at(-1);
      assert.deepEqual(seen?.body, Buffer.concat(pieces));
      assert.equal(seen.headers['content-length'], String(3 * bytes));
      assert.equal(seen.headers['transfer-encoding'], undefined);
    }
  }));

test('GET and DELETE go out without a body', () =>
  withProvider(async (provider, upstream) => {
    for (const method of ['GET', 'DELETE'] as const) {
      await listen(provider, callOf(undefined, { method, path: 'responses/resp_1', body: [] }));
      const seen = upstream.requests.at(-1);
      assert.deepEqual([seen?.method, seen?.path, seen?.body.length], [method, '/v1/responses/resp_1', 0]);
      assert.equal(seen?.headers['content-type'], undefined);
    }
  }));

test('calls one after the other take turns on two connections at most', () =>
  withProvider(async (provider, upstream) => {
    for (let call = 0; call < 6; call++) await listen(provider, callOf());
    assert.ok(upstream.connections.all <= 2, `${upstream.connections.all} connections`);
    assert.equal(upstream.requests.length, 6);
  }));

test('a stream comes in the pieces in which it was written', () =>
  withProvider(async (provider, upstream) => {
    const { gate, release } = openGate();
    upstream.answers({ pieces: [deltaEvent('one'), gate, deltaEvent('two')] });
    const received = await listen(provider, callOf({}, { stream: true }), (_, chunk) => {
      if (chunk.includes('one')) release();
    });
    assert.equal(received.head?.contentType, 'text/event-stream; charset=utf-8');
    assert.equal(received.text, deltaEvent('one') + deltaEvent('two'));
    assert.ok(received.chunks.length >= 2);
  }));

for (const encoding of ['gzip', 'deflate', 'br', 'gzip-flushed'] as const) {
  test(`an answer in ${encoding} is opened`, () =>
    withProvider(async (provider, upstream) => {
      const pieces = [deltaEvent('a'), deltaEvent('b'), 'data: [DONE]\n\n'];
      upstream.answers({ pieces, encoding });
      assert.equal((await listen(provider, callOf())).text, pieces.join(''));
    }));
}

test('a compressed stream is not held back until its end', () =>
  withProvider(async (provider, upstream) => {
    const { gate, release } = openGate();
    upstream.answers({ pieces: [deltaEvent('one'), gate, deltaEvent('two')], encoding: 'gzip-flushed' });
    const received = await listen(provider, callOf(), () => release());
    assert.equal(received.text, deltaEvent('one') + deltaEvent('two'));
  }));

test('a compressed answer that is cut off, or no such thing, or compressed in an unknown way, is broken', () =>
  withProvider(async (provider, upstream) => {
    upstream.answers({ pieces: [deltaEvent('one')], encoding: 'gzip-flushed', ending: 'break' });
    assert.equal((await listen(provider, callOf())).failure?.kind, 'broken');
    upstream.answers({ pieces: ['this is no gzip'], headers: { 'content-encoding': 'gzip' } });
    assert.equal((await listen(provider, callOf())).failure?.kind, 'broken');
    upstream.answers({ json: {}, headers: { 'content-encoding': 'zstd' } });
    const unknown = await listen(provider, callOf());
    assert.equal(unknown.failure?.kind, 'broken');
    assert.equal(unknown.head, undefined);
  }));

test('any status is an answer, and a redirect is not followed', () =>
  withProvider(async (provider, upstream) => {
    for (const status of [302, 400, 401, 404, 429, 500, 503]) {
      upstream.answers({ ...errorAnswer(status, 'no'), headers: { location: `${upstream.url}/elsewhere` } });
      const received = await listen(provider, callOf());
      assert.equal(received.head?.status, status);
    }
    assert.equal(upstream.requests.length, 7);
  }));

for (const [headers, seconds] of [
  [{ 'retry-after': '7' }, 7],
  [{ 'retry-after': '0.3' }, 1],
  [{ 'retry-after-ms': '1200', 'retry-after': '60' }, 2],
  [{ 'retry-after': '99999999999' }, 3600],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '-1' }, undefined],
  [{}, undefined],
] as const) {
  test(`${JSON.stringify(headers)} is a wait of ${String(seconds)} s`, () =>
    withProvider(async (provider, upstream) => {
      upstream.answers({ ...errorAnswer(429, 'slow down'), headers: { ...headers, 'x-request-id': 'up-9' } });
      const { head } = await listen(provider, callOf());
      assert.equal(head?.retryAfterSeconds, seconds);
      assert.equal(head?.upstreamRequestId, 'up-9');
    }));
}

test('a date in Retry-After is a wait from now, and none if it is past', () =>
  withProvider(async (provider, upstream) => {
    const inAnHour = new Date(Date.now() + 3_600_000).toUTCString();
    upstream.answers({ ...errorAnswer(503, 'x'), headers: { 'retry-after': inAnHour } });
    const wait = (await listen(provider, callOf())).head?.retryAfterSeconds ?? 0;
    assert.ok(wait > 3590 && wait <= 3600, String(wait));
    upstream.answers({ ...errorAnswer(503, 'x'), headers: { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' } });
    assert.equal((await listen(provider, callOf())).head?.retryAfterSeconds, 0);
  }));

test('where nothing listens the failure is connect', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  const provider = createOpenAiChat(settingsOf(`http://127.0.0.1:${port}/v1`));
  const received = await listen(provider, callOf());
  assert.equal(received.failure?.kind, 'connect');
  assert.doesNotMatch(received.failure.message, /127|sk-/);
  await provider.close?.();
});

test('an upstream that closes before the head, or within the body, is broken, and is not asked again', () =>
  withProvider(async (provider, upstream) => {
    upstream.answers({ ending: 'break-before' });
    const before = await listen(provider, callOf());
    assert.deepEqual([before.failure?.kind, before.head], ['broken', undefined]);
    upstream.answers({ pieces: [deltaEvent('one')], ending: 'break' });
    const within = await listen(provider, callOf());
    assert.equal(within.failure?.kind, 'broken');
    assert.equal(within.head?.status, 200);
    assert.equal(within.text, deltaEvent('one'));
    assert.equal(upstream.requests.length, 2);
    upstream.answers(chatAnswer('again'));
    assert.equal((await listen(provider, callOf())).head?.status, 200);
  }));

test('an upstream that never answers, or stalls, is a time-out, and its connection is closed', () =>
  withProvider(
    async (provider, upstream) => {
      upstream.answers({ ending: 'stall-before' });
      const before = await listen(provider, callOf());
      assert.deepEqual([before.failure?.kind, before.head], ['timeout', undefined]);
      upstream.answers({ pieces: [deltaEvent('one')], ending: 'stall' });
      const within = await listen(provider, callOf());
      assert.deepEqual([within.failure?.kind, within.text], ['timeout', deltaEvent('one')]);
      await upstream.abortions(2);
      await upstream.hungUp();
    },
    { timeoutMs: 100, idleTimeoutMs: 100 },
  ));

test('bytes that come one at a time are an answer as any other', () =>
  withProvider(async (provider, upstream) => {
    upstream.answers({ ...chatAnswer('slow'), isByteByByte: true });
    assert.deepEqual(JSON.parse((await listen(provider, callOf())).text), chatAnswer('slow').json);
  }));

test('an abort before the head and within the body hangs up at once, and the listener hears nothing more', () =>
  withProvider(async (provider, upstream) => {
    const heard: string[] = [];
    const listener = {
      onHead: () => heard.push('head'),
      onData: () => heard.push('data'),
      onEnd: () => heard.push('end'),
      onFailure: () => heard.push('failure'),
    };
    upstream.answers({ ending: 'stall-before' });
    const waiting = provider.start(callOf(), listener);
    await upstream.received(1);
    waiting.abort();
    waiting.abort();
    await upstream.abortions(1);
    assert.deepEqual(heard, []);
    upstream.answers({ pieces: [deltaEvent('one')], ending: 'stall' });
    const received = new Promise<void>((resolve) => {
      const exchange = provider.start(callOf(), {
        ...listener,
        onData: () => {
          exchange.abort();
          resolve();
        },
      });
    });
    await received;
    await upstream.abortions(2);
    await upstream.hungUp();
    assert.deepEqual(heard, ['head']);
    assert.equal(upstream.connections.all, 2, 'no connection is made in the place of one that was given up');
  }));

test('a call that is aborted before it has a connection is never sent', () =>
  withProvider(async (provider, upstream) => {
    const heard: string[] = [];
    const tell = (what: string) => () => void heard.push(what);
    const listener = { onHead: tell('head'), onData: tell('data'), onEnd: tell('end'), onFailure: tell('failure') };
    provider.start(callOf(), listener).abort();
    await listen(provider, callOf());
    assert.equal(upstream.requests.length, 1);
    assert.deepEqual(heard, []);
  }));

test('a paused call holds the upstream up, and goes on when it is resumed', () =>
  withProvider(async (provider, upstream) => {
    const pieces = Array.from({ length: 200 }, (_, at) => Buffer.alloc(64 * 1024, 97 + (at % 26)));
    upstream.answers({ pieces });
    let chunksAtPause = 0;
    let hasPaused = false;
    let chunks = 0;
    const received = await listen(provider, callOf(), (exchange) => {
      chunks++;
      if (hasPaused) return;
      hasPaused = true;
      exchange.pause();
      // Fifty turns of the event loop: bytes that were not held up would come meanwhile.
      let turns = 50;
      const turn = () => {
        if (turns-- > 0) setImmediate(turn);
        else {
          chunksAtPause = chunks;
          exchange.resume();
        }
      };
      turn();
    });
    assert.ok(chunksAtPause <= 2, `${chunksAtPause} chunks came while it was paused`);
    assert.equal(received.text, Buffer.concat(pieces).toString());
  }));

test('a body that breaks with the very bytes that brought the head fails after its data', async () => {
  const server = createServer((socket) => {
    socket.on('data', () =>
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\nnonsense\r\n'),
    );
    socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const provider = createOpenAiChat(settingsOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`));
  const received = await listen(provider, callOf());
  assert.deepEqual([received.heads, received.text, received.failure?.kind], [1, '{}', 'broken']);
  await provider.close?.();
  server.close();
});

test('the probe asks for the models, and says with which status below 500 the upstream answers', () =>
  withProvider(async (provider, upstream) => {
    for (const status of [200, 401, 404]) {
      upstream.answers(errorAnswer(status, 'x'));
      assert.deepEqual(await provider.probe?.(never), { status });
    }
    assert.deepEqual([upstream.requests[0]?.method, upstream.requests[0]?.path], ['GET', '/v1/models']);
    upstream.answers(errorAnswer(502, 'x'));
    await assert.rejects(provider.probe?.(never) ?? Promise.resolve());
    upstream.answers({ ending: 'break-before' });
    await assert.rejects(provider.probe?.(never) ?? Promise.resolve());
    upstream.answers({ ending: 'stall-before' });
    const patience = new AbortController();
    const probed = provider.probe?.(patience.signal) ?? Promise.resolve();
    await upstream.received(6);
    patience.abort();
    await assert.rejects(probed, /in time/);
    await upstream.hungUp();
  }));

test('an answer with too large a head is broken', () =>
  withProvider(async (provider, upstream) => {
    upstream.answers({ ...chatAnswer('x'), headers: { 'x-large': 'x'.repeat(40_000) } });
    assert.equal((await listen(provider, callOf())).failure?.kind, 'broken');
  }));

test('informational heads before the answer are not taken for it', async () => {
  const server = createServer((socket) => {
    socket.on('data', () =>
      socket.write(
        'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-type: a/b\r\ncontent-length: 2\r\n\r\n{}',
      ),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const provider = createOpenAiChat(settingsOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`));
  const received = await listen(provider, callOf());
  assert.deepEqual(
    [received.heads, received.head?.status, received.head?.contentType, received.text],
    [1, 200, 'a/b', '{}'],
  );
  await provider.close?.();
  server.close();
});

for (const [name, value] of [
  ['Content-Length', '5'],
  ['connection', 'close'],
  ['bad name', 'x'],
  ['x-a', 'line\nbreak'],
] as const) {
  test(`the header '${name}' can't be set in the settings`, () => {
    const settings = settingsOf('http://127.0.0.1:1/v1', { headers: { [name]: value } });
    assert.throws(() => createOpenAiChat(settings), /providers\.up\.headers/);
  });
}

test('without a key no authorization is sent, and without a base URL it is OpenAI', () =>
  withProvider(async (_, upstream) => {
    const settings = settingsOf(upstream.url, { secrets: {} });
    const provider = createOpenAiChat(settings);
    await listen(provider, callOf());
    assert.equal(upstream.requests[0]?.headers.authorization, undefined);
    await provider.close?.();
  }));

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { test } from 'node:test';
import {
  readAvatarTalkForm,
  type AvatarTalkForm,
  type AvatarTalkFormOptions,
} from '../../../src/api/body/avatar-talk-form.ts';
import { ClientGone } from '../../../src/api/body/request-stream.ts';
import { GatewayError } from '../../../src/domain/errors.ts';
import { BlobTooLarge } from '../../../src/blobs/blob-store.ts';
import { withBodyServer, type BodyServer, type Outcome } from './body-server.ts';

type Store = AvatarTalkFormOptions['store'];
type Server = BodyServer<AvatarTalkForm>;
const limits = { audioBytes: 1000, videoBytes: 5000 };
const type = 'multipart/form-data; boundary=XX';

/** A blob store in memory that keeps the contract: nothing is seen before it is whole, too much is refused. */
function memoryStore(): Store & { blobs: Map<string, Buffer>; removed: string[] } {
  const blobs = new Map<string, Buffer>();
  const removed: string[] = [];
  return {
    blobs,
    removed,
    async write(key, source, { bytesMax }) {
      const pieces: Uint8Array[] = [];
      let bytes = 0;
      for await (const piece of source) {
        bytes += piece.length;
        if (bytes > bytesMax) throw new BlobTooLarge(bytesMax);
        pieces.push(piece);
      }
      const content = Buffer.concat(pieces);
      blobs.set(key, content);
      return { key, bytes, sha256: createHash('sha256').update(content).digest('hex') };
    },
    remove(key) {
      removed.push(key);
      blobs.delete(key);
      return Promise.resolve();
    },
  };
}

function withServer(
  options: Partial<AvatarTalkFormOptions>,
  use: (server: Server, store: ReturnType<typeof memoryStore>) => Promise<void>,
): Promise<void> {
  const store = memoryStore();
  let keys = 0;
  const newKey = (name: string) => `uploads/${name}-${++keys}`;
  return withBodyServer(
    (request) => readAvatarTalkForm(request, { store, newKey, limits, ...options }),
    (server) => use(server, store),
  );
}

interface Part {
  name: string;
  content: string | Buffer;
  fileName?: string;
}
const audio: Part = { name: 'audio', content: 'RIFF audio', fileName: 'a.wav' };
const video: Part = { name: 'video', content: 'ftyp contents', fileName: 'v.mp4' };

function partBytes({ name, content, fileName }: Part): Buffer {
  const file = fileName === undefined ? '' : `; filename="${fileName}"\r\nContent-Type: application/octet-stream`;
  const head = `--XX\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(content), Buffer.from('\r\n')]);
}
const form = (...parts: Part[]): Buffer => Buffer.concat([...parts.map(partBytes), Buffer.from('--XX--\r\n')]);

const send = ({ post }: Server, body: Buffer) => post({ 'content-type': type, 'content-length': body.length }, body);

function assertRefused({ error }: Outcome<unknown>, code: string, param: string | null): void {
  assert.ok(error instanceof GatewayError, String(error));
  assert.deepEqual({ code: error.code, param: error.param }, { code, param });
}

test('two files and the fields are taken, each file with its size and SHA-256', () =>
  withServer({}, async (server, { blobs, removed }) => {
    const fields = [
      { name: 'model', content: 'sim-avatar-talk' },
      { name: 'template_name', content: '不使用分身' },
      { name: 'webhook_url', content: 'https://example.com/hook' },
      { name: 'something_else', content: 'ignored' },
    ];
    const content = randomBytes(900);
    send(server, form(fields[0]!, { ...audio, content }, fields[1]!, video, fields[2]!, fields[3]!));
    const { value } = await server.outcome();
    assert.deepEqual(value?.fields, {
      model: 'sim-avatar-talk',
      template_name: '不使用分身',
      webhook_url: 'https://example.com/hook',
    });
    const sha256 = createHash('sha256').update(content).digest('hex');
    assert.deepEqual(value.audio, { key: 'uploads/audio-1', bytes: 900, sha256 });
    assert.equal(value.video.key, 'uploads/video-2');
    assert.ok(blobs.get('uploads/audio-1')?.equals(content));
    assert.equal(blobs.get('uploads/video-2')?.toString(), 'ftyp contents');
    assert.deepEqual(removed, []);
  }));

test('the order of the parts does not matter, and a file needs no file name', () =>
  withServer({}, async (server) => {
    send(server, form(video, { name: 'audio', content: 'RIFF' }));
    assert.deepEqual((await server.outcome()).value?.fields, {});
  }));

test('a form that comes byte by byte is the same form', () =>
  withServer({}, async (server, { blobs }) => {
    const body = form({ ...audio, content: 'a\r\n--X\r\n--XY-\r\nb' }, video);
    const client = server.post({ 'content-type': type, 'content-length': body.length });
    client.socket.setNoDelay(true);
    for (const byte of body) {
      client.socket.write(Buffer.of(byte));
      await new Promise(setImmediate);
    }
    assert.ok((await server.outcome()).value);
    assert.equal(blobs.get('uploads/audio-1')?.toString(), 'a\r\n--X\r\n--XY-\r\nb');
  }));

test('files of just the limits are taken', () =>
  withServer({}, async (server) => {
    send(server, form({ ...audio, content: Buffer.alloc(1000) }, { ...video, content: Buffer.alloc(5000) }));
    const { value } = await server.outcome();
    assert.deepEqual([value?.audio.bytes, value?.video.bytes], [1000, 5000]);
  }));

for (const [what, parts, code, param] of [
  ['no audio', [video], 'missing_parameter', 'audio'],
  ['no video', [audio], 'missing_parameter', 'video'],
  ['no parts but fields', [{ name: 'model', content: 'x' }], 'missing_parameter', 'audio'],
  ['an empty audio file', [{ ...audio, content: '' }, video], 'invalid_parameter', 'audio'],
  ['an empty video file', [audio, { ...video, content: '' }], 'invalid_parameter', 'video'],
  ['two audio files', [audio, video, audio], 'invalid_parameter', 'audio'],
  ['two video files in a row', [audio, video, video], 'invalid_parameter', 'video'],
  [
    'a field twice',
    [{ name: 'model', content: 'a' }, { name: 'model', content: 'a' }, audio, video],
    'invalid_parameter',
    'model',
  ],
  ['a file by another name', [audio, video, { ...video, name: 'image' }], 'invalid_parameter', 'image'],
  ['a file by a name that is none', [audio, video, { ...video, name: 'a b' }], 'invalid_parameter', null],
  ['audio of a byte too much', [{ ...audio, content: Buffer.alloc(1001) }, video], 'request_too_large', 'audio'],
  ['video of a byte too much', [audio, { ...video, content: Buffer.alloc(5001) }], 'request_too_large', 'video'],
  ['audio far too long', [{ ...audio, content: Buffer.alloc(900_000) }, video], 'request_too_large', 'audio'],
  ['a field too long', [audio, video, { name: 'model', content: 'x'.repeat(8193) }], 'invalid_parameter', 'model'],
  [
    'too many fields',
    [audio, video, ...Array.from({ length: 33 }, () => ({ name: 'x', content: 'y' }))],
    'invalid_parameter',
    null,
  ],
] as const) {
  test(`${what} is refused as ${code}, nothing stays stored, and the caller reads the refusal`, () =>
    withServer({}, async (server, { blobs }) => {
      const client = send(server, form(...parts));
      assertRefused(await server.outcome(), code, param);
      assert.deepEqual((await client.answer()).body, { code, param });
      assert.equal(blobs.size, 0);
    }));
}

test('the whole form is bounded too, also where its parts are skipped', () =>
  withServer({}, async (server, { blobs }) => {
    const nameless = Buffer.from(`--XX\r\nContent-Type: text/plain\r\n\r\n${'x'.repeat(2_000_000)}\r\n`);
    send(server, Buffer.concat([partBytes(audio), nameless, form(video)]));
    assertRefused(await server.outcome(), 'request_too_large', null);
    assert.equal(blobs.size, 0);
  }));

for (const [what, headers, code] of [
  ['no type', {}, 'unsupported_media_type'],
  ['JSON', { 'content-type': 'application/json' }, 'unsupported_media_type'],
  ['an urlencoded form', { 'content-type': 'application/x-www-form-urlencoded' }, 'unsupported_media_type'],
  ['another multipart', { 'content-type': 'multipart/mixed; boundary=XX' }, 'unsupported_media_type'],
  ['a compressed form', { 'content-type': type, 'content-encoding': 'gzip' }, 'unsupported_media_type'],
  ['a form without a boundary', { 'content-type': 'multipart/form-data' }, 'invalid_parameter'],
] as const) {
  test(`${what} is refused as ${code}`, () =>
    withServer({}, async (server) => {
      const body = form(audio, video);
      const client = server.post({ ...headers, 'content-length': body.length }, body);
      assertRefused(await server.outcome(), code, null);
      assert.deepEqual((await client.answer()).body, { code, param: null });
    }));
}

for (const [what, body] of [
  ['empty', Buffer.alloc(0)],
  ['no form at all', Buffer.from('hello')],
  ['of another boundary', Buffer.from(form(audio, video).toString().replaceAll('XX', 'YY'))],
  ['cut in the first file', partBytes(audio).subarray(0, -6)],
  ['cut in the header of the second part', Buffer.concat([partBytes(audio), partBytes(video).subarray(0, 30)])],
  ['cut in the second file', Buffer.concat([partBytes(audio), partBytes(video).subarray(0, -6)])],
  ['cut before its last boundary', Buffer.concat([partBytes(audio), partBytes(video)])],
  ['cut within its last boundary', form(audio, video).subarray(0, -4)],
] as const) {
  test(`a body that is ${what} is refused as invalid_parameter, and nothing stays stored`, () =>
    withServer({ idleMs: 2000 }, async (server, { blobs }) => {
      const client = send(server, body);
      assertRefused(await server.outcome(), 'invalid_parameter', null);
      assert.equal((await client.answer()).status, 400);
      assert.equal(blobs.size, 0);
    }));
}

for (const leave of ['destroy', 'resetAndDestroy'] as const) {
  test(`what a caller that leaves by ${leave} had sent is removed`, () =>
    withServer({}, async (server, { blobs, removed }) => {
      const body = Buffer.concat([partBytes(audio), partBytes(video).subarray(0, -6)]);
      const client = server.post({ 'content-type': type, 'content-length': 100_000 }, body);
      await once(client.socket, 'connect');
      while (!blobs.has('uploads/audio-1')) await new Promise(setImmediate);
      client.socket[leave]();
      assert.ok((await server.outcome()).error instanceof ClientGone);
      assert.equal(blobs.size, 0);
      assert.deepEqual(removed, ['uploads/audio-1', 'uploads/video-2']);
    }));
}

test('an upload that pauses too long is refused, and what it had sent is removed', () =>
  withServer({ idleMs: 40 }, async (server, { blobs }) => {
    const client = server.post({ 'content-type': type, 'content-length': 100_000 }, partBytes(audio));
    const outcome = await server.outcome();
    assertRefused(outcome, 'invalid_parameter', null);
    assert.match(String(outcome.error), /paused for more than 0.04 s/);
    assert.equal((await client.answer()).status, 400);
    assert.equal(blobs.size, 0);
  }));

test('an upload that takes too long in all is refused, however steadily it comes', () =>
  withServer({ idleMs: 5000, totalMs: 60 }, async (server) => {
    const client = server.post({ 'content-type': type, 'content-length': 100_000 }, partBytes(video).subarray(0, -6));
    const steady = setInterval(() => client.socket.write('x'), 5);
    try {
      const outcome = await server.outcome();
      assertRefused(outcome, 'invalid_parameter', null);
      assert.match(String(outcome.error), /took more than 0.06 s/);
    } finally {
      clearInterval(steady);
    }
  }));

test('a store that is slow is no pause of the caller, and holds the caller back', () => {
  const big = Buffer.alloc(4 * 1024 * 1024);
  let releaseAll: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (releaseAll = resolve));
  let taken = 0;
  const store: Store = {
    async write(key, source) {
      for await (const piece of source) {
        taken += piece.length;
        await gate;
      }
      return { key, bytes: taken, sha256: '' };
    },
    remove: () => Promise.resolve(),
  };
  return withServer({ store, idleMs: 150, limits: { audioBytes: 10, videoBytes: 2 * big.length } }, async (server) => {
    const body = form({ ...video, content: big }, audio);
    server.post({ 'content-type': type, 'content-length': body.length }, body);
    await new Promise((resolve) => setTimeout(resolve, 600)); // four times what the caller may pause
    assert.ok(taken < 1024 * 1024, `${taken} bytes were taken`);
    releaseAll();
    assert.ok((await server.outcome()).value, 'the upload went on');
  });
});

test('an error of the store is thrown as it is, and the other file is removed', () => {
  const memory = memoryStore();
  const store: Store = {
    write: (key, source, bounds) =>
      key.includes('video') ? Promise.reject(new Error('the disk is full')) : memory.write(key, source, bounds),
    remove: memory.remove,
  };
  return withServer({ store }, async (server) => {
    const client = send(server, form(audio, { ...video, content: Buffer.alloc(4000) }));
    assert.match(String((await server.outcome()).error), /the disk is full/);
    assert.equal((await client.answer()).status, 400);
    assert.equal(memory.blobs.size, 0);
  });
});

test('a file that could not be removed is reported along with the reason', () => {
  const memory = memoryStore();
  const store: Store = { write: memory.write, remove: () => Promise.reject(new Error('still there')) };
  return withServer({ store }, async (server) => {
    send(server, form(audio));
    const { error } = await server.outcome();
    assert.ok(error instanceof AggregateError);
    assert.deepEqual(
      error.errors.map((each: Error) => each.message),
      ['The form must have a file part named video.', 'still there'],
    );
  });
});

test('a caller that reads only after it has sent everything still gets the refusal', () =>
  withServer({ limits: { audioBytes: 1000, videoBytes: 20 * 1024 * 1024 } }, async (server) => {
    const body = form({ ...audio, content: Buffer.alloc(20 * 1024 * 1024) }, video);
    const client = server.post({ 'content-type': type, 'content-length': body.length });
    client.socket.pause();
    await new Promise<void>((resolve, reject) =>
      client.socket.write(body, (error) => (error ? reject(error) : resolve())),
    );
    client.socket.resume();
    assertRefused(await server.outcome(), 'request_too_large', 'audio');
    assert.equal((await client.answer()).status, 400);
  }));

test("fetch's own forms are understood", () =>
  withServer({}, async (server, { blobs }) => {
    const data = new FormData();
    data.set('audio', new Blob(['RIFF audio']), 'a.wav');
    data.set('template_name', '不使用分身');
    data.set('video', new Blob(['ftyp']));
    const answer = await fetch(`http://127.0.0.1:${server.port}/`, { method: 'POST', body: data });
    assert.equal(answer.status, 200);
    const { value } = await server.outcome();
    assert.deepEqual(value?.fields, { template_name: '不使用分身' });
    assert.equal(blobs.get(value.video.key)?.toString(), 'ftyp');
  }));

test('a caller that expects a go-ahead gets it once its headers were found good, else only the refusal', () =>
  withServer({}, async (server) => {
    const body = form(audio, video);
    const good = server.post({ 'content-type': type, 'content-length': body.length, expect: '100-continue' });
    const [goAhead] = (await once(good.socket, 'data')) as [Buffer];
    assert.equal(goAhead.toString(), 'HTTP/1.1 100 Continue\r\n\r\n');
    good.socket.write(body);
    assert.ok((await server.outcome()).value);
    const bad = server.post({ 'content-type': 'text/plain', 'content-length': body.length, expect: '100-continue' });
    const [refusal] = (await once(bad.socket, 'data')) as [Buffer];
    assert.match(refusal.toString(), /^HTTP\/1\.1 400 /);
  }));

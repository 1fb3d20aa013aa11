import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { assertError } from '../support/errors.ts';
import { answerOf, bearer, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { mp3, mp4, png, textFile, truncated, wav } from '../support/media.ts';

const path = '/v1/svctalk/generate';
const configuration = `
providers: { simulator: { kind: simulator } }
limits: { audio_bytes: 200000, video_bytes: 300000, audio_seconds: 2 }
models:
  - { id: talk, kind: avatar-talk, routes: [{ provider: simulator, model: m }], price: { per_second: 0.05 } }
  - { id: image, kind: image, routes: [{ provider: simulator, model: m }], price: { per_image: 0.2 } }
  - { id: broken, kind: avatar-talk, maintenance: true, routes: [{ provider: simulator, model: m }], price: { per_second: 0.05 } }
`;

// Without a worker nothing is stored but what was uploaded.
let gateway: TestGateway;
let video: Buffer;
let audioFile: Buffer;
let image: Buffer;
before(async () => {
  gateway = await startTestGateway({ configuration, worker: false });
  video = await mp4({ seconds: 1, hasAudio: false });
  audioFile = wav({ seconds: 1 });
  image = await png({ width: 64, height: 64 });
});
after(() => gateway.stop());

type Part = [name: string, value: Buffer | string];
const send = async (parts: readonly Part[], headers: Record<string, string> = {}) => {
  const form = new FormData();
  for (const [name, value] of parts) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([value]), `${name}.bin`);
  }
  return answerOf(await gateway.fetch(path, { method: 'POST', headers, body: form }));
};
const audio = (bytes: Buffer = audioFile): Part => ['audio', bytes];
const videoPart = (bytes: Buffer = video): Part => ['video', bytes];

for (const [what, parts, code, param] of [
  ['no part at all', () => [], 'missing_parameter', 'audio'],
  ['no audio', () => [videoPart()], 'missing_parameter', 'audio'],
  ['no video', () => [audio()], 'missing_parameter', 'video'],
  ['two audios', () => [audio(), audio(), videoPart()], 'invalid_parameter', 'audio'],
  ['two videos', () => [audio(), videoPart(), videoPart()], 'invalid_parameter', 'video'],
  [
    'two templates',
    () => [['template_name', 'a'], ['template_name', 'b'], audio(), videoPart()],
    'invalid_parameter',
    'template_name',
  ],
  ['a file of another name', () => [audio(), videoPart(), ['portrait', image]], 'invalid_parameter', 'portrait'],
  ['an empty audio', () => [audio(Buffer.alloc(0)), videoPart()], 'invalid_parameter', 'audio'],
  ['a WAV that is text', () => [audio(textFile), videoPart()], 'invalid_parameter', 'audio'],
  ['an audio that is an image', () => [audio(image), videoPart()], 'invalid_parameter', 'audio'],
  ['an audio that is a video', () => [audio(video), videoPart()], 'invalid_parameter', 'audio'],
  ['a video that is text', () => [audio(), videoPart(textFile)], 'invalid_parameter', 'video'],
  ['a video that is audio', () => [audio(), videoPart(audioFile)], 'invalid_parameter', 'video'],
  ['an MP4 cut short', () => [audio(), videoPart(truncated(video))], 'invalid_parameter', 'video'],
  ['an audio of more than 2 s', () => [audio(wav({ seconds: 2.001 })), videoPart()], 'invalid_parameter', 'audio'],
  ['an audio of too many bytes', () => [audio(wav({ seconds: 2.4 })), videoPart()], 'request_too_large', 'audio'],
  ['a video of too many bytes', () => [audio(), videoPart(Buffer.alloc(300_001))], 'request_too_large', 'video'],
  ['an empty template', () => [['template_name', ''], audio(), videoPart()], 'invalid_parameter', 'template_name'],
  [
    'a template with a NUL',
    () => [['template_name', 'a\0b'], audio(), videoPart()],
    'invalid_parameter',
    'template_name',
  ],
  [
    'a webhook that is no address',
    () => [['webhook_url', 'here'], audio(), videoPart()],
    'invalid_parameter',
    'webhook_url',
  ],
  ['an unknown model', () => [['model', 'unknown'], audio(), videoPart()], 'model_not_found', 'model'],
  ['an image model', () => [['model', 'image'], audio(), videoPart()], 'invalid_parameter', 'model'],
  ['a model in maintenance', () => [['model', 'broken'], audio(), videoPart()], 'model_in_maintenance', null],
] as [string, () => Part[], string, string | null][]) {
  test(`a creation with ${what} is refused; nothing is stored and nothing held`, async () => {
    const stored = await gateway.blobs();
    const { key } = await gateway.newKey({ balance: '1' });
    assertError(await send(parts(), bearer(key)), code, param);
    assert.deepEqual(await gateway.money(key), { balance: 1, held: 0 });
    assert.equal(await gateway.blobs(), stored);
  });
}

test('a creation without the money, or past a limit, stores nothing', async () => {
  const stored = await gateway.blobs();
  const poor = await gateway.newKey({ balance: '0.049' });
  assertError(await send([audio(), videoPart()], bearer(poor.key)), 'insufficient_balance');
  const busy = await gateway.newKey({ balance: '1', maxRunningTasks: 1, models: ['image'] });
  assertError(await send([audio(), videoPart()], bearer(busy.key)), 'model_not_allowed', 'model');
  assert.equal(await gateway.blobs(), stored);
});

test('a body that is no form is refused', async () => {
  assertError(await gateway.post(path, {}), 'unsupported_media_type');
  const headers = { 'Content-Type': 'multipart/form-data' };
  const answer = await answerOf(await gateway.fetch(path, { method: 'POST', headers, body: 'x' }));
  assert.equal(answer.status, 400);
});

test('a form that ends in the middle is refused, and nothing is stored', async () => {
  const stored = await gateway.blobs();
  const head = `--b\r\nContent-Disposition: form-data; name="audio"; filename="a.wav"\r\n\r\n`;
  const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
  const body = Buffer.concat([Buffer.from(head), audioFile]);
  const answer = await answerOf(await gateway.fetch(path, { method: 'POST', headers, body }));
  assertError(answer, 'invalid_parameter');
  assert.equal(await gateway.blobs(), stored);
});

test('an upload keeps its place until it was measured', async () => {
  const small = await startTestGateway({ configuration, worker: false, bounds: { uploads: 1 } });
  const { blobs } = small.core;
  const read = blobs.read.bind(blobs);
  let begun: () => void = () => undefined;
  let go: () => void = () => undefined;
  const reading = new Promise<void>((resolve) => (begun = resolve));
  const going = new Promise<void>((resolve) => (go = resolve));
  blobs.read = async (key, range) => {
    begun();
    await going;
    return read(key, range);
  };
  const upload = async () => {
    const form = new FormData();
    form.append('audio', new Blob([audioFile]), 'audio.bin');
    form.append('video', new Blob([video]), 'video.bin');
    return answerOf(await small.fetch(path, { method: 'POST', body: form }));
  };
  try {
    const first = upload();
    await reading;
    assertError(await upload(), 'overloaded');
    go();
    assert.equal((await first).status, 200);
    assert.equal((await upload()).status, 200);
  } finally {
    go();
    await small.stop();
  }
});

test('a caller that leaves in the middle of its upload leaves nothing behind', async () => {
  const stored = await gateway.blobs();
  const socket = await opened();
  const head = `--b\r\nContent-Disposition: form-data; name="audio"; filename="a.wav"\r\n\r\n`;
  socket.write(requestHead(gateway.key, { expects: false, bytes: 150_000 }) + head);
  socket.write(audioFile);
  while ((await gateway.blobs()) === stored) await new Promise((resolve) => setTimeout(resolve, 5));
  socket.resetAndDestroy();
  for (let tries = 0; (await gateway.blobs()) > stored; tries++) {
    assert.ok(tries < 400, 'it is still there after 2 s');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
});

test('the shortest prices are held exactly, whatever the file is called', async () => {
  const { key } = await gateway.newKey({ balance: '1' });
  const answer = await send(
    [videoPart(), audio(mp3({ seconds: 1 })), ['template_name', '不使用分身'], ['unknown', 'x']],
    bearer(key),
  );
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const { balance, held } = await gateway.money(key);
  assert.ok(held > 0.04 && held <= 0.05 && Math.abs(balance + held - 1) < 1e-9, `${held} held`);
});

for (const [what, key, expected] of [
  ['a bad key', () => 'sk-tg-of-no-account', 401],
  ['a key of a low level', async () => (await gateway.newKey({ level: 'chat' })).key, 403],
] as const) {
  test(`a caller that waits for the go-ahead with ${what} is refused without one, and the connection ends`, async () => {
    const socket = await opened();
    socket.write(requestHead(await key(), { expects: true, bytes: 150_000 }));
    const answer = await untilClosed(socket);
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${expected} `), answer);
    assert.match(answer, /\r\nConnection: close\r\n/i);
    assert.doesNotMatch(answer, /100 Continue/);
  });
}

test('neither does a wrong media type or a body that is too large by its headers get the go-ahead', async () => {
  for (const [head, expected] of [
    [`POST ${path} HTTP/1.1\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n`, 415],
    ['POST /v1/images/generations HTTP/1.1\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n', 415],
    ['POST /v1/images/generations HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n', 413],
    [`POST ${path} HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 9999999999\r\n`, 413],
    [`POST ${path} HTTP/1.1\r\nContent-Type: multipart/form-data\r\nContent-Length: 9\r\n`, 400],
    ['POST /v1/nothing HTTP/1.1\r\nContent-Length: 9\r\n', 404],
  ] as const) {
    const socket = await opened();
    socket.write(`${head}Host: test\r\nAuthorization: Bearer ${gateway.key}\r\nExpect: 100-continue\r\n\r\n`);
    assert.match(await untilClosed(socket), new RegExp(`^HTTP/1\\.1 ${expected} `));
  }
});

test('a caller with a good key gets the go-ahead, sends its form and is answered', async () => {
  const { key } = await gateway.newKey({ balance: '1' });
  const part = (name: string, bytes: Buffer) =>
    Buffer.concat([
      Buffer.from(`--b\r\nContent-Disposition: form-data; name="${name}"; filename="x"\r\n\r\n`),
      bytes,
      Buffer.from('\r\n'),
    ]);
  const body = Buffer.concat([part('audio', audioFile), part('video', video), Buffer.from('--b--\r\n')]);
  const socket = await opened();
  socket.write(requestHead(key, { expects: true, bytes: body.length, closes: true }));
  const first = await firstBytes(socket);
  assert.equal(first.toString('latin1'), 'HTTP/1.1 100 Continue\r\n\r\n');
  socket.write(body);
  assert.match(await untilClosed(socket), /^HTTP\/1\.1 200 OK\r\n[^]*"status":"processing"/);
});

test('a JSON body is asked for too', async () => {
  const body = Buffer.from(JSON.stringify({ model: 'image', prompt: 'A gate' }));
  const socket = await opened();
  socket.write(
    `POST /ai/v1/images/generations HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${gateway.key}\r\nConnection: close\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  const first = await firstBytes(socket);
  assert.equal(first.toString('latin1'), 'HTTP/1.1 100 Continue\r\n\r\n');
  socket.write(body);
  assert.match(await untilClosed(socket), /^HTTP\/1\.1 202 /);
});

function requestHead(
  key: string,
  { expects, bytes, closes = false }: { expects: boolean; bytes: number; closes?: boolean },
) {
  return [
    `POST ${path} HTTP/1.1`,
    'Host: test',
    `Authorization: Bearer ${key}`,
    'Content-Type: multipart/form-data; boundary=b',
    `Content-Length: ${bytes}`,
    ...(expects ? ['Expect: 100-continue'] : []),
    ...(closes ? ['Connection: close'] : []),
    '\r\n',
  ].join('\r\n');
}

async function opened() {
  const socket = connect({ port: Number(new URL(gateway.url).port), host: '127.0.0.1' });
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return socket.on('error', () => undefined);
}

async function firstBytes(socket: Awaited<ReturnType<typeof opened>>): Promise<Buffer> {
  const [bytes] = (await once(socket, 'data', { signal: AbortSignal.timeout(10_000) })) as [Buffer];
  return bytes;
}

async function untilClosed(socket: Awaited<ReturnType<typeof opened>>): Promise<string> {
  const pieces: Buffer[] = [];
  socket.on('data', (piece) => pieces.push(piece));
  await new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return Buffer.concat(pieces).toString('latin1');
}

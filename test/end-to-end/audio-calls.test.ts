/** Calls of audio, from body to ledger: what passes, what it costs, and how it fails. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { audit } from '../../src/audit/audit.ts';
import { chargesCheck } from '../../src/audit/checks/charge-sums.ts';
import { speechAnswer } from '../../src/simulator/speech.ts';
import { type Customer, customerOf, typesOf } from '../support/chat-gateway.ts';
import { oggPages, webm } from '../support/containers.ts';
import { assertError } from '../support/errors.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { assertLedgerAddsUp } from '../support/money.ts';
import { until } from '../support/process.ts';
import { openUpstream, type Answer, type Upstream } from '../support/upstream.ts';

let upstreams: Awaited<ReturnType<typeof openUpstream>>[];
let first: Upstream;
let second: Upstream;
let gateway: TestGateway;
before(async () => {
  upstreams = [await openUpstream(), await openUpstream()];
  [first, second] = upstreams.map(({ upstream }) => upstream) as [Upstream, Upstream];
  gateway = await startTestGateway({ configuration: configurationFor(first.url, second.url), worker: false });
});
after(async () => {
  const { database, secrets } = gateway.core;
  await assertLedgerAddsUp(database, secrets.first.ledger);
  assert.deepEqual((await audit({ database, ledgerKeys: [secrets.first.ledger] }, [chargesCheck])).findings, []);
  await gateway.stop();
  for (const { close } of upstreams) await close();
});

const configurationFor = (one: string, other: string) => `
providers:
  first: { kind: openai, base_url: '${one}' }
  second: { kind: openai, base_url: '${other}' }
  sim: { kind: simulator }
models:
  - id: by-characters
    kind: speech
    routes: [{ provider: first, model: up-speech }]
    price: { per_million_characters: 1000 }
  - id: by-seconds
    kind: speech
    routes: [{ provider: first, model: up-speech }, { provider: second, model: up-speech-2 }]
    price: { per_second: 0.01 }
  - id: by-tokens
    kind: speech
    routes: [{ provider: first, model: up-speech }]
    price: { input_per_million: 1000, output_per_million: 2000 }
  - id: sim-says
    kind: speech
    routes: [{ provider: sim, model: sim-speech }]
    price: { per_second: 0.01 }
  - id: hears-seconds
    kind: transcription
    routes: [{ provider: first, model: up-hears }, { provider: second, model: up-hears-2 }]
    price: { per_second: 0.01 }
  - id: hears-tokens
    kind: transcription
    routes: [{ provider: first, model: up-hears }]
    price: { input_per_million: 1000, output_per_million: 2000 }
  - id: sim-hears
    kind: transcription
    routes: [{ provider: sim, model: sim-transcription }]
    price: { per_second: 0.01 }
  - id: talk
    kind: chat
    routes: [{ provider: first, model: up-chat }]
    price: { input_per_million: 1000, output_per_million: 1000 }
`;

const customer = async (limits: Parameters<TestGateway['newKey']>[0] = {}) =>
  customerOf(gateway, await gateway.newKey({ balance: '100', level: 'standard', ...limits }));
const speechPath = '/v1/audio/speech';

/** The capture of a customer's only call. */
async function captureOf(one: Customer) {
  const { entries } = await one.settled();
  const captures = entries.filter(({ type }) => type === 'capture');
  assert.equal(captures.length, 1, JSON.stringify(typesOf(entries)));
  return captures[0] ?? assert.fail();
}

/** What a caller gets of a speech, up to where it ends or breaks. */
async function speak(one: Customer, body: unknown, headers: Record<string, string> = {}, path = speechPath) {
  const response = await gateway.fetch(path, {
    method: 'POST',
    headers: { ...one.headers, 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const pieces: Uint8Array[] = [];
  let isWhole = true;
  try {
    for await (const piece of response.body ?? []) pieces.push(piece as Uint8Array);
  } catch {
    isWhole = false;
  }
  return { status: response.status, headers: response.headers, bytes: Buffer.concat(pieces), isWhole };
}

/** Raw samples for so many seconds. */
const samples = (seconds: number) => Buffer.alloc(seconds * 48_000, 1);
const audioAnswer = (pieces: Answer['pieces'] & {}, more: Answer = {}): Answer => ({
  headers: { 'content-type': 'audio/pcm' },
  pieces,
  ...more,
});
const eventOf = (event: unknown) => `data: ${JSON.stringify(event)}\n\n`;
const delta = (audio: Buffer) => eventOf({ type: 'speech.audio.delta', audio: audio.toString('base64') });
const usage = { input_tokens: 5, output_tokens: 40, total_tokens: 45 };
const done = eventOf({ type: 'speech.audio.done', usage });

describe('speech', () => {
  test('passes the body and the bytes as they came, but for the model, and is charged by its characters', async () => {
    for (const root of ['/v1', '/ai/v1']) {
      const one = await customer();
      first.answers(
        audioAnswer([Buffer.from('ID3 not really'), samples(0.5)], { headers: { 'content-type': 'audio/mpeg' } }),
      );
      const body = { input: 'Grüße 😀', voice: { id: 'v1' }, made_up: 1, model: 'by-characters' };
      const heard = await speak(one, body, {}, `${root}/audio/speech`);
      assert.deepEqual([heard.status, heard.headers.get('content-type')], [200, 'audio/mpeg']);
      assert.ok(heard.bytes.equals(Buffer.concat([Buffer.from('ID3 not really'), samples(0.5)])));
      const seen = first.requests.at(-1);
      assert.deepEqual([seen?.path, seen?.json()], ['/v1/audio/speech', { ...body, model: 'up-speech' }]);
      const { charged, unit, units, usage_source: source, lines } = await captureOf(one);
      assert.deepEqual(
        { charged, unit, units, source },
        { charged: 0.007, unit: 'character', units: 7, source: 'measured' },
      );
      assert.deepEqual(lines, [{ unit: 'character', units: 7, unit_price: 0.001, amount: 0.007 }]);
    }
  });

  test('by the second is held at a second a character, and charged by what was produced', async () => {
    const one = await customer();
    first.answers(audioAnswer([samples(1), samples(1.1)]));
    const body = { model: 'by-seconds', input: 'Hello', voice: 'a', response_format: 'pcm', speed: 0.5 };
    const quote = await one.post({ path: '/audio/speech', body }, {}, '/v1/quotes');
    const { hold, unit, units } = quote.body;
    assert.deepEqual({ hold, unit, units }, { hold: 0.1, unit: 'second', units: 10 });
    assert.equal((await speak(one, body)).bytes.length, 2.1 * 48_000);
    const capture = await captureOf(one);
    assert.deepEqual([capture['charged'], capture['unit'], capture['units']], [0.03, 'second', 3]);
  });

  test('that breaks off is charged by the second for what was delivered, and costs nothing by the character', async () => {
    for (const [model, type] of [
      ['by-seconds', 'capture'],
      ['by-characters', 'release'],
    ] as const) {
      const one = await customer();
      first.answers(audioAnswer([samples(1.5)], { ending: 'break' }));
      const heard = await speak(one, { model, input: 'Hello', voice: 'a', response_format: 'pcm' });
      assert.deepEqual([heard.status, heard.isWhole], [200, false]);
      const { entries } = await one.settled();
      assert.equal(entries[1]?.['type'], type);
      if (type === 'capture') assert.equal(entries[1]['units'], 2);
    }
  });

  test('by the token is asked for as events, which have the usage, and given as bytes', async () => {
    const one = await customer();
    first.answers({ pieces: [delta(samples(0.5)), delta(samples(0.25)), done] });
    const heard = await speak(one, { model: 'by-tokens', input: 'Hello', voice: 'a', response_format: 'pcm' });
    assert.deepEqual([heard.headers.get('content-type'), heard.bytes.length], ['audio/pcm', 36_000]);
    const seen = first.requests.at(-1)?.json() as Record<string, unknown>;
    assert.deepEqual([seen['model'], seen['stream_format']], ['up-speech', 'sse']);
    const { charged, units, usage: stated, usage_source: source } = await captureOf(one);
    assert.deepEqual(
      { charged, units, stated, source },
      { charged: 0.085, units: 45, stated: usage, source: 'upstream' },
    );
  });

  test('by the token of an upstream without events is estimated by its length', async () => {
    const one = await customer();
    first.answers(audioAnswer([samples(2)]));
    await speak(one, { model: 'by-tokens', input: 'Hello', voice: 'a', response_format: 'pcm' });
    const { lines, usage_source: source } = await captureOf(one);
    assert.deepEqual([source, (lines as { units: number }[]).map(({ units }) => units)], ['estimated', [1, 50]]);
  });

  test('as events passes them, and is charged by the audio in them', async () => {
    const one = await customer();
    first.answers({ pieces: [delta(samples(1)), delta(samples(0.5)), done] });
    const body = { model: 'by-seconds', input: 'Hello', voice: 'a', response_format: 'pcm', stream_format: 'sse' };
    const heard = await speak(one, body);
    assert.match(heard.headers.get('content-type') ?? '', /^text\/event-stream/);
    assert.equal(heard.bytes.toString(), delta(samples(1)) + delta(samples(0.5)) + done);
    const { units, usage: stated } = await captureOf(one);
    assert.deepEqual([units, stated], [2, usage]);
  });

  test('that is no audio goes to the next route', async () => {
    const one = await customer();
    first.answers(
      { json: { error: { message: 'Busy' } } },
      { headers: { 'content-type': 'audio/wav' }, pieces: ['no RIFF at all'] },
    );
    for (let calls = 0; calls < 2; calls++) {
      second.answers({
        headers: { 'content-type': 'audio/mpeg' },
        pieces: [Buffer.from('ID3\x04\0\0\0\0\0\x0a'), Buffer.alloc(10)],
      });
      assert.equal((await speak(one, { model: 'by-seconds', input: 'Hello', voice: 'a' })).status, 200);
      assert.equal((second.requests.at(-1)?.json() as { model: string }).model, 'up-speech-2');
    }
    assert.deepEqual(typesOf((await one.settled()).entries).filter((type) => type === 'capture').length, 2);
  });

  test('under an Idempotency-Key is made once, and given again', async () => {
    const one = await customer();
    first.answers(audioAnswer([samples(1)]));
    const body = { model: 'by-characters', input: 'Hello', voice: 'a', response_format: 'pcm' };
    const before = first.requests.length;
    const key = { 'Idempotency-Key': 'speech-once' };
    const heard = [await speak(one, body, key), await speak(one, body, key)];
    assert.ok(
      heard.every(({ bytes, headers }) => bytes.equals(samples(1)) && headers.get('content-type') === 'audio/pcm'),
    );
    assert.equal(heard[1]?.headers.get('idempotency-replayed'), 'true');
    assert.equal(first.requests.length, before + 1);
    await captureOf(one);
    assertError(await one.post({ ...body, input: 'Other' }, key, speechPath), 'idempotency_key_reused');
  });

  test('of a caller that leaves before its answer costs its characters, and no seconds', async () => {
    for (const [model, units] of [
      ['by-characters', 5],
      ['by-seconds', 0],
    ] as const) {
      const one = await customer();
      const seen = first.requests.length;
      first.answers({ ending: 'stall-before' });
      const leaving = new AbortController();
      const call = one.open({ model, input: 'Hello', voice: 'a' }, leaving.signal, speechPath).catch(() => undefined);
      await first.received(seen + 1);
      leaving.abort();
      await call;
      assert.equal((await captureOf(one))['units'], units);
    }
  });

  test('is refused with what is wrong, and needs a key of level standard', async () => {
    const one = await customer();
    const good = { model: 'by-characters', input: 'a', voice: 'a' };
    for (const [body, code, param] of [
      [{ model: 'by-characters', voice: 'a' }, 'missing_parameter', 'input'],
      [{ ...good, input: '' }, 'invalid_parameter', 'input'],
      [{ ...good, input: '😀'.repeat(4097) }, 'invalid_parameter', 'input'],
      [{ model: 'by-characters', input: 'a' }, 'missing_parameter', 'voice'],
      [{ ...good, voice: {} }, 'missing_parameter', 'voice.id'],
      [{ ...good, voice: 1 }, 'invalid_parameter', 'voice'],
      [{ ...good, speed: 5 }, 'invalid_parameter', 'speed'],
      [{ ...good, response_format: 'ogg' }, 'invalid_parameter', 'response_format'],
      [{ ...good, stream_format: 'ws' }, 'invalid_parameter', 'stream_format'],
      [{ ...good, model: 'talk' }, 'invalid_parameter', 'model'],
    ] as const)
      assertError(await one.post(body, {}, speechPath), code, param);
    assertError(await (await customer({ level: 'chat' })).post(good, {}, speechPath), 'permission_denied');
    assertError(await (await customer({ balance: '0.0001' })).post(good, {}, speechPath), 'insufficient_balance');
  });

  test('of the simulator are tones with the length of the text', async () => {
    const one = await customer();
    const body = { model: 'sim-says', input: 'Twenty characters!!!', voice: 'any', response_format: 'wav' };
    const { status, bytes } = await speak(one, body);
    assert.deepEqual([status, bytes.toString('latin1', 0, 4), bytes.length], [200, 'RIFF', 44 + 20 * 0.072 * 48_000]);
    assert.equal((await captureOf(one))['units'], 2);
    const refused = await one.post({ ...body, response_format: 'opus' }, {}, speechPath);
    assert.deepEqual([refused.status, refused.body['error'].param], [400, 'response_format']);
    assert.match(refused.body['error'].message, /'mp3', 'wav', 'pcm'/);
  });
});

const MiB = 1024 * 1024;
const voiceUri = (length: number): string => 'data:audio/wav;base64,'.padEnd(length, 'A');
const endlessHead = Buffer.from('OpusHead\x01\x01\x38\x01\x80\xbb\0\0\0\0\0', 'latin1');

const transcriptionsPath = '/v1/audio/transcriptions';

/** WAV of 2.16 s: three begun seconds. */
const recording = Buffer.concat(speechAnswer({ input: 'a'.repeat(30), response_format: 'wav' }, undefined).pieces);

function formOf(fields: Record<string, string>, file: Buffer | null = recording): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  if (file) form.append('file', new Blob([new Uint8Array(file)]), 'my "voice".bin');
  return form;
}

async function hear(one: Customer, form: FormData, headers: Record<string, string> = {}, path = transcriptionsPath) {
  const response = await gateway.fetch(path, { method: 'POST', headers: { ...one.headers, ...headers }, body: form });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: response.status, headers: response.headers, text, body: (isJson ? JSON.parse(text) : {}) as Body };
}
type Body = Awaited<ReturnType<TestGateway['post']>>['body'];

/** Waits until no upload is left in the blob store: they are removed beside the answer. */
async function assertNothingKept(): Promise<void> {
  await until('uploads to be removed', async () => {
    for await (const _ of gateway.core.blobs.list('uploads/')) return undefined;
    return true;
  });
}

describe('transcriptions', () => {
  test('are sent on as a form with the same bytes, charged by whole seconds, and leave no file', async () => {
    for (const [root, path] of [
      ['/v1', 'audio/transcriptions'],
      ['/ai/v1', 'audio/translations'],
    ]) {
      const one = await customer();
      const answer = '{ "text":"Hello", "usage":{"type":"duration","seconds":2} }';
      first.answers({ headers: { 'content-type': 'application/json' }, pieces: [answer] });
      const heard = await hear(one, formOf({ model: 'hears-seconds', made_up: 'ü' }), {}, `${root}/${path}`);
      assert.deepEqual([heard.status, heard.text], [200, answer]);
      const seen = first.requests.at(-1) ?? assert.fail();
      assert.equal(seen.path, `/v1/${path}`);
      assert.match(seen.headers['content-type'] ?? '', /^multipart\/form-data; boundary=/);
      const head = seen.body.toString('utf8', 0, seen.body.indexOf(recording));
      assert.match(head, /name="model"\r\n\r\nup-hears\r\n[^]*name="made_up"\r\n\r\nü\r\n/);
      assert.match(head, /name="file"; filename="audio\.wav"\r\nContent-Type: audio\/wav\r\n\r\n$/);
      assert.ok(seen.body.includes(recording));
      const { charged, unit, units, usage_source: source } = await captureOf(one);
      assert.deepEqual(
        { charged, unit, units, source },
        { charged: 0.03, unit: 'second', units: 3, source: 'measured' },
      );
      await assertNothingKept();
    }
  });

  test('pass text as it is, and go to the next route with the whole file', async () => {
    const one = await customer();
    first.answers({ status: 500, json: {} });
    second.answers({ headers: { 'content-type': 'text/plain' }, pieces: ['1\n00:00 --> 00:02\nHello\n'] });
    const heard = await hear(one, formOf({ model: 'hears-seconds', response_format: 'srt' }));
    assert.deepEqual([heard.status, heard.text], [200, '1\n00:00 --> 00:02\nHello\n']);
    assert.match(heard.headers.get('content-type') ?? '', /^text\/plain/);
    assert.ok(second.requests.at(-1)?.body.includes(recording));
    assert.equal((await captureOf(one))['units'], 3);
  });

  test('take what browsers record, measured by its packets', async () => {
    const one = await customer();
    const file = webm({ packets: 60 });
    first.answers({ json: { text: 'Hello' } });
    assert.equal((await hear(one, formOf({ model: 'hears-seconds' }, file))).status, 200);
    const sent = first.requests.at(-1)?.body ?? assert.fail();
    assert.match(sent.toString('latin1'), /filename="audio\.webm"\r\nContent-Type: audio\/webm\r\n/);
    assert.ok(sent.includes(file));
    assert.equal((await captureOf(one))['units'], 2);
  });

  test('pass the voices of known speakers, up to four of 2 MiB', async () => {
    const one = await customer();
    const form = (count: number, length: number) => {
      const made = formOf({ model: 'hears-seconds', response_format: 'diarized_json' });
      for (let at = 0; at < count; at++) made.append('known_speaker_references[]', voiceUri(length));
      return made;
    };
    first.answers({ json: { text: 'Hello' } });
    assert.equal((await hear(one, form(4, 2 * MiB))).status, 200);
    const sent = first.requests.at(-1)?.body.toString('latin1') ?? assert.fail();
    assert.equal(sent.split(`name="known_speaker_references[]"\r\n\r\n${voiceUri(2 * MiB)}\r\n`).length, 5);
    const long = formOf({ model: 'hears-seconds', prompt: 'a'.repeat(9_000) });
    for (const [refused, message] of [
      [form(1, 2 * MiB + 1), /known_speaker_references must not exceed 2097152 bytes/],
      [form(5, 100), /known_speaker_references must be sent at most 4 times/],
      [long, /prompt must not exceed 8192 bytes/],
    ] as const) {
      const { body } = await hear(one, refused);
      assert.equal(body['error'].code, 'invalid_parameter');
      assert.match(body['error'].message, message);
    }
    await captureOf(one);
    await assertNothingKept();
    const metrics = async () => (await gateway.fetch('/metrics')).text();
    await until('the memory', async () => (/^tollgate_body_bytes 0$/m.test(await metrics()) ? true : undefined));
  });

  test('by the token are charged what the usage says, streamed or not', async () => {
    const used = { type: 'tokens', input_tokens: 30, output_tokens: 5, total_tokens: 35 };
    const events =
      eventOf({ type: 'transcript.text.delta', delta: 'Hi' }) +
      eventOf({ type: 'transcript.text.done', text: 'Hi', usage: used });
    for (const stream of ['false', 'true']) {
      const one = await customer();
      first.answers(stream === 'true' ? { pieces: [events] } : { json: { text: 'Hi', usage: used } });
      const heard = await hear(one, formOf({ model: 'hears-tokens', stream }));
      if (stream === 'true') assert.equal(heard.text, events);
      const { charged, usage: stated } = await captureOf(one);
      assert.deepEqual([charged, stated], [0.04, used]);
    }
  });

  test('under an Idempotency-Key are made once, by fields and file', async () => {
    const one = await customer();
    first.answers({ headers: { 'content-type': 'text/plain' }, pieces: ['Hello'] });
    const before = first.requests.length;
    const key = { 'Idempotency-Key': 'hear-once' };
    const form = () => formOf({ model: 'hears-seconds', response_format: 'text' });
    const heard = [await hear(one, form(), key), await hear(one, form(), key)];
    assert.deepEqual(
      heard.map(({ text }) => text),
      ['Hello', 'Hello'],
    );
    assert.equal(first.requests.length, before + 1);
    const other = formOf({ model: 'hears-seconds', response_format: 'text' }, recording.subarray(0, 100_000));
    assert.equal((await hear(one, other, key)).body['error'].code, 'idempotency_key_reused');
    await captureOf(one);
    await assertNothingKept();
  });

  test('are refused with what is wrong, and nothing is held or kept', async () => {
    const one = await customer();
    const good = { model: 'hears-seconds' };
    for (const [form, code, param] of [
      [formOf({}), 'missing_parameter', 'model'],
      [formOf(good, null), 'missing_parameter', 'file'],
      [formOf(good, Buffer.from('no audio at all')), 'invalid_parameter', 'file'],
      [formOf(good, webm({ packets: 0 })), 'invalid_parameter', 'file'],
      [formOf(good, oggPages(endlessHead, [2 ** 48])), 'invalid_parameter', 'file'],
      [formOf({ model: 'talk' }), 'invalid_parameter', 'model'],
      [formOf({ ...good, response_format: 'xml' }), 'invalid_parameter', 'response_format'],
      [formOf({ ...good, temperature: 'hot' }), 'invalid_parameter', 'temperature'],
      [formOf(good, Buffer.alloc(51 * 1024 * 1024)), 'request_too_large', 'file'],
    ] as const) {
      const { body } = await hear(one, form);
      assert.deepEqual([body['error'].code, body['error'].param], [code, param], JSON.stringify(body));
    }
    assert.equal((await hear(await customer({ level: 'chat' }), formOf(good))).body['error'].code, 'permission_denied');
    assert.deepEqual((await one.settled()).entries, []);
    await assertNothingKept();
  });

  test('of the simulator have all formats, and the same words for the same file', async () => {
    const one = await customer();
    const of = async (more: Record<string, string>) => (await hear(one, formOf({ model: 'sim-hears', ...more }))).text;
    const { text } = JSON.parse(await of({})) as { text: string };
    assert.equal(text.split(' ').length, 6);
    assert.equal(await of({ response_format: 'text' }), `${text}\n`);
    assert.equal(await of({ response_format: 'srt' }), `1\n00:00:00,000 --> 00:00:03,000\n${text}\n\n`);
    assert.equal(await of({ response_format: 'vtt' }), `WEBVTT\n\n00:00:00.000 --> 00:00:03.000\n${text}\n\n`);
    for (const response_format of ['verbose_json', 'diarized_json'])
      assert.equal((JSON.parse(await of({ response_format })) as { duration: number }).duration, 3);
    assert.match(await of({ stream: 'true' }), /transcript\.text\.done/);
  });

  test('are quoted by their seconds', async () => {
    const one = await customer();
    const body = { model: 'hears-seconds', audio_seconds: 2.1 };
    const { hold, unit, units } = (await one.post({ path: '/audio/transcriptions', body }, {}, '/v1/quotes')).body;
    assert.deepEqual({ hold, unit, units }, { hold: 0.03, unit: 'second', units: 3 });
  });
});

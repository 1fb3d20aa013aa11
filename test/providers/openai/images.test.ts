/** What OpenAI's images have beyond the contract of all adapters: references, parameters, and what can't be done. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import type { ProviderSettings } from '../../../src/domain/catalogue.ts';
import { GatewayError } from '../../../src/domain/errors.ts';
import type { ImageRequest } from '../../../src/domain/requests/image-request.ts';
import type { Job, Submission, TaskProvider } from '../../../src/providers/contract.ts';
import { fetchInputFiles, type InputBounds } from '../../../src/providers/http/input-files.ts';
import { openai } from '../../../src/providers/openai/openai.ts';
import { imageJob } from '../../support/jobs.ts';
import { jpg, png, textFile } from '../../support/media.ts';
import { errorAnswer, type Upstream, withUpstream } from '../../support/upstream.ts';

const signal = new AbortController().signal;
const [drawing, photo] = [await png({ width: 40, height: 30 }), jpg({ width: 32, height: 32 })];
const files: Record<string, Buffer> = { drawing, photo, text: textFile, nothing: Buffer.alloc(0) };
const at = (name: string) => `https://caller.example/${name}`;

describe('references', () => {
  test('are sent as files, in their order, and nothing of them stays on disk', () =>
    withImages(async ({ provider, upstream, tempDir }) => {
      const submission = await provider.submit(jobOf({ imageUrls: [at('drawing'), at('photo')] }), signal);
      assert.equal(submission.outcome, 'finished');
      const [request] = upstream.requests;
      assert.ok(request !== undefined);
      assert.deepEqual([request.method, request.path], ['POST', '/v1/images/edits']);
      assert.equal(request.headers['content-length'], String(request.body.length));
      assert.equal(request.headers['transfer-encoding'], undefined);
      const boundary = /boundary=(\S+)$/.exec(String(request.headers['content-type']))?.[1];
      const parts = request.body.toString('latin1').split(`--${boundary}`);
      const heads = parts.slice(1, -1).map((part) => part.split('\r\n\r\n')[0]?.trim().split('\r\n'));
      assert.deepEqual(heads, [
        ...['model', 'prompt', 'n', 'size', 'quality'].map((name) => [
          `Content-Disposition: form-data; name="${name}"`,
        ]),
        ['Content-Disposition: form-data; name="image[]"; filename="reference-0.png"', 'Content-Type: image/png'],
        ['Content-Disposition: form-data; name="image[]"; filename="reference-1.jpeg"', 'Content-Type: image/jpeg'],
      ]);
      assert.ok(request.body.includes(Buffer.concat([Buffer.from('\r\n\r\n'), drawing, Buffer.from('\r\n--')])));
      assert.ok(request.body.includes(Buffer.concat([Buffer.from('\r\n\r\n'), photo, Buffer.from('\r\n--')])));
      assert.deepEqual(await readdir(tempDir), []);
    }));

  test('are named as the route says', () =>
    withImages(async ({ provider, upstream }) => {
      const job = jobOf({ imageUrls: [at('drawing')] });
      await provider.submit({ ...job, fields: { image: 'input"s' } }, signal);
      assert.match(upstream.requests[0]?.body.toString('latin1') ?? '', /name="input%22s"; filename=/);
      const refused = await provider.submit({ ...job, fields: { image: null } }, signal);
      assertRefused(refused, 'invalid_parameter', 'image_urls');
      assert.equal(upstream.requests.length, 1);
    }));

  for (const name of ['text', 'nothing', 'gone']) {
    test(`that can't be used (${name}) are refused by their place, and nothing is sent`, () =>
      withImages(async ({ provider, upstream, tempDir }) => {
        const submission = await provider.submit(jobOf({ imageUrls: [at('drawing'), at(name)] }), signal);
        assertRefused(submission, 'invalid_parameter', 'image_urls[1]');
        assert.equal(upstream.requests.length, 0);
        assert.deepEqual(await readdir(tempDir), []);
      }));
  }

  for (const [name, bounds, message] of [
    ['one that is too large', { bytesMax: drawing.length - 1 }, /exceeds \d+ bytes/],
    ['two that are too large together', { allBytesMax: 2 * drawing.length - 1 }, /together exceed/],
    ['one of another type', { mediaTypes: ['image/webp'] }, /image\/png; the model accepts image\/webp/],
  ] as const) {
    test(`${name} is refused`, () =>
      withFolder(async (tempDir) => {
        const fetching = fetchInputFiles(inputs('drawing', 'drawing'), { ...tools, tempDir }, bounded(bounds), signal);
        await assert.rejects(fetching, (error) => isRefusal(error) && message.test(error.message));
        assert.deepEqual(await readdir(tempDir), []);
      }));
  }

  test('that do not come in time are refused, before and after their first byte', () =>
    withFolder(async (tempDir) => {
      const stalling = new Readable({ read: () => undefined });
      stalling.push(drawing.subarray(0, 10));
      for (const fetched of [new Promise<Readable>(() => undefined), Promise.resolve(stalling)]) {
        const fetching = fetchInputFiles(
          inputs('drawing'),
          { fetchFile: () => fetched, tempDir },
          bounded({ timeoutMs: 30 }),
          signal,
        );
        await assert.rejects(fetching, (error) => isRefusal(error) && error.message.includes('within 0.03 s'));
      }
      assert.ok(stalling.destroyed);
    }));

  test('that come when it is too late are thrown away', () =>
    withFolder(async (tempDir) => {
      const late = Readable.from([drawing]);
      let come: (source: Readable) => void = () => undefined;
      const fetchFile = (url: string) =>
        url === at('text') ? tools.fetchFile(url) : new Promise<Readable>((resolve) => (come = resolve));
      const fetching = fetchInputFiles(inputs('drawing', 'text'), { fetchFile, tempDir }, bounded({}), signal);
      await assert.rejects(fetching, isRefusal);
      const closed = new Promise((resolve) => late.once('close', resolve));
      come(late);
      await closed;
    }));

  test('are read as often as asked, until they are closed', () =>
    withFolder(async (tempDir) => {
      const input = await fetchInputFiles(inputs('drawing', 'photo'), { ...tools, tempDir }, bounded({}), signal);
      for (let times = 0; times < 2; times++) {
        for (const [index, file] of [drawing, photo].entries()) {
          assert.deepEqual(await buffer(Readable.from(input.files[index]?.read() ?? [])), file);
        }
      }
      assert.deepEqual(
        input.files.map(({ mediaType, bytes }) => [mediaType, bytes]),
        [
          ['image/png', drawing.length],
          ['image/jpeg', photo.length],
        ],
      );
      await input.close();
      await assert.rejects(() => buffer(Readable.from(input.files[0]?.read() ?? [])));
    }));

  test('that this machine has no room for leave the task to the next route', () =>
    withImages(
      async ({ provider, upstream }) => {
        const submission = await provider.submit(jobOf({ imageUrls: [at('drawing')] }), signal);
        assert.ok(submission.outcome === 'refused', submission.outcome);
        assert.deepEqual([submission.error.code, submission.fallOver], ['upstream_error', true]);
        assert.equal(upstream.requests.length, 0);
      },
      { tempDir: join(import.meta.filename, 'tmp') },
    ));
});

test('upscaling is refused, and nothing is sent', () =>
  withImages(async ({ provider, upstream }) => {
    const job = jobOf({ imageUrls: [at('drawing')], pixels: { mode: 'upscale', longerSide: 4096 } });
    assertRefused(await provider.submit(job, signal), 'invalid_parameter', 'upscale');
    assert.equal(upstream.requests.length, 0);
  }));

for (const [param, ours] of [
  ['prompt', 'prompt'],
  ['size', 'size'],
  ['quality', 'quality'],
  ['n', 'n'],
  ['image[1]', 'image_urls'],
  ['output_compression', null],
  [null, null],
] as const) {
  test(`a refused ${param ?? 'parameter that is not named'} is reported with the parameter ${ours ?? 'null'}`, () =>
    withImages(async ({ provider, upstream }) => {
      upstream.answers(errorAnswer(400, 'It must be less.', { param, code: 'invalid_value' }));
      assertRefused(await provider.submit(jobOf({}), signal), 'invalid_parameter', ours, 'It must be less.');
    }));
}

test('an error of 5xx leaves the outcome unknown, whatever its words', () =>
  withImages(async ({ provider, upstream }) => {
    for (const code of ['server_error', 'billing_service_down']) {
      upstream.answers(errorAnswer(500, 'Our safety system and your quota are away.', { code }));
      assert.equal((await provider.submit(jobOf({}), signal)).outcome, 'unknown');
    }
  }));

test('an answer whose images were all blocked is a violation of the content policy', () =>
  withImages(async ({ provider, upstream }) => {
    const error = { code: 'moderation_blocked', message: 'Rejected by the safety system.', type: 'image_error' };
    upstream.answers({ json: { data: [{ error }, { error }] } });
    const submission = await provider.submit(jobOf({ n: 2 }), signal);
    assert.ok(submission.outcome === 'finished');
    const bytes = await buffer(submission.answer);
    const read = ({ start, end } = { start: 0, end: bytes.length }) =>
      Promise.resolve(Readable.from([bytes.subarray(start, end)]));
    const poll = await provider.resultOf?.({ bytes: bytes.length, read }, jobOf({ n: 2 }));
    assert.ok(poll?.state === 'failed');
    assert.deepEqual([poll.error.code, poll.error.message], ['content_policy_violation', error.message]);
  }));

test('headers of the settings are sent, and no key where there is none', () =>
  withImages(
    async ({ provider, upstream }) => {
      await provider.submit(jobOf({}), signal);
      await provider.probe?.(signal);
      const [create, probe] = upstream.requests;
      for (const request of [create, probe]) {
        assert.equal(request?.headers['x-team'], 'seven');
        assert.equal(request.headers.authorization, undefined);
        assert.equal(request.headers['accept-encoding'], 'identity');
      }
      assert.deepEqual([probe?.method, probe?.path], ['GET', '/v1/models']);
      assert.equal(create?.headers['content-type'], 'application/json');
    },
    { secrets: {}, headers: { 'X-Team': 'seven' } },
  ));

interface Images {
  provider: TaskProvider;
  upstream: Upstream;
  tempDir: string;
}

const tools = {
  fetchFile: (url: string): Promise<Readable> => {
    const file = files[url.slice(at('').length)];
    if (file !== undefined) return Promise.resolve(Readable.from(file.length === 0 ? [] : [file]));
    // As the real tool has it, which knows the parameter.
    return Promise.reject(new GatewayError('invalid_parameter', 'No such file.', { param: 'image_urls[1]' }));
  },
};

function withImages(
  use: (images: Images) => Promise<void>,
  { tempDir: otherDir, ...more }: Partial<ProviderSettings> & { tempDir?: string } = {},
): Promise<void> {
  return withFolder((tempDir) =>
    withUpstream(async (upstream) => {
      upstream.answers({ json: { created: 1, data: [{ b64_json: drawing.toString('base64') }] } });
      const settings: ProviderSettings = {
        ...{ name: 'up', kind: 'openai', baseUrl: upstream.url, secrets: { api_key: 'sk-operator-1' }, numbers: {} },
        ...{ headers: {}, timeoutMs: 2_000, idleTimeoutMs: 2_000, deadlineMs: 60_000 },
        ...more,
      };
      const fetchResult = () => Promise.reject(new Error('nothing is fetched here'));
      const provider = openai.tasks?.(settings, { ...tools, fetchResult, tempDir: otherDir ?? tempDir });
      assert.ok(provider !== undefined);
      try {
        await use({ provider, upstream, tempDir });
      } finally {
        await provider.close?.();
      }
    }),
  );
}

async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const parent = await mkdtemp(join(tmpdir(), 'tollgate-images-'));
  const folder = join(parent, 'tmp');
  await mkdir(folder);
  // A pending fetch of these tests keeps no process alive, as a socket would.
  const alive = setInterval(() => undefined, 60_000);
  try {
    await use(folder);
  } finally {
    clearInterval(alive);
    await rm(parent, { recursive: true });
  }
}

const jobOf = (request: Partial<ImageRequest>): Job => ({ ...imageJob(request), model: 'gpt-image-2' });

const inputs = (...names: string[]) => names.map((name, index) => ({ url: at(name), param: `image_urls[${index}]` }));

const bounded = (bounds: Partial<InputBounds>): InputBounds => ({
  ...{ mediaTypes: ['image/png', 'image/jpeg'], bytesMax: 1_000_000, allBytesMax: 1_000_000, timeoutMs: 10_000 },
  ...bounds,
});

const isRefusal = (error: unknown): error is GatewayError =>
  error instanceof GatewayError && error.code === 'invalid_parameter' && /^image_urls\[[01]\]$/.test(error.param ?? '');

function assertRefused(submission: Submission, code: string, param: string | null, message?: string): void {
  assert.ok(submission.outcome === 'refused', submission.outcome);
  assert.deepEqual([submission.error.code, submission.error.param, submission.fallOver], [code, param, false]);
  if (message !== undefined) assert.equal(submission.error.message, message);
}

/** Image edits, variations, videos, files and batches by the OpenAI SDKs of npm and PyPI, on both roots. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import OpenAI, { BadRequestError, ConflictError, NotFoundError, toFile } from 'openai';
import * as z from 'zod';
import type { TestGateway } from '../../support/gateway.ts';
import { maskPng, png } from '../../support/media.ts';
import { until } from '../../support/process.ts';
import { pythonWith } from '../../support/python.ts';
import { roots, startSdkGateway } from './support.ts';

const run = promisify(execFile);
const script = fileURLToPath(new URL('openai_forms.py', import.meta.url));
const line = z.looseObject({ name: z.string() });
const versions = ['2.54.0', '3.54.0'];

let gateway: TestGateway;
const pythons = new Map<string, string>();
const image = await png({ width: 64, height: 48 });
const mask = maskPng(64, 48, (x) => x < 32);
before(async () => {
  for (const version of versions) pythons.set(version, join(await pythonWith(`openai==${version}`), 'python'));
  ({ gateway } = await startSdkGateway());
});
after(() => gateway.stop());

for (const root of roots) {
  const client = () =>
    new OpenAI({ baseURL: `${gateway.url}${root}`, apiKey: gateway.key, defaultHeaders: { Prefer: 'wait=60' } });
  const gate = () => toFile(image, 'gate.png');

  test(`${root}: npm's SDK edits images and makes variations`, async () => {
    const common = { model: 'sim-image', size: '1024x1024' } as const;
    const edited = await client().images.edit({
      ...{ ...common, prompt: 'Fog', n: 2 },
      image: await gate(),
      mask: await toFile(mask, 'mask.png'),
    });
    assert.equal(edited.data?.length, 2);
    const several = [await gate(), await gate()];
    const inline = await client().images.edit({
      ...{ ...common, prompt: 'Fog', response_format: 'b64_json' },
      image: several,
    });
    assert.match(inline.data?.[0]?.b64_json ?? '', /^iVBOR/);
    const varied = await client().images.createVariation({ ...common, image: await gate() });
    assert.match(varied.data?.[0]?.url ?? '', /^http/);
    await assert.rejects(
      async () => client().images.edit({ ...common, prompt: 'Fog', image: await toFile(Buffer.from('no'), 'a.png') }),
      (error: unknown) => error instanceof BadRequestError && error.param === 'image',
    );
  });

  test(`${root}: npm's SDK creates, downloads, lists and deletes videos`, async () => {
    const { videos } = client();
    const made = await videos.create({ model: 'sim-video-fast', prompt: 'Cars', seconds: '8' });
    assert.deepEqual([made.object, made.status, made.seconds], ['video', 'queued', '8']);
    const done = await ended(made.id);
    assert.deepEqual([done.status, done.progress], ['completed', 100]);
    const bytes = Buffer.from(await (await videos.downloadContent(made.id, { variant: 'video' })).arrayBuffer());
    assert.equal(bytes.toString('latin1', 4, 8), 'ftyp');
    const prompt = '[sim:fail=no luck]';
    const other = await videos.create({ model: 'sim-video-fast', prompt, input_reference: await gate() });
    assert.equal((await ended(other.id)).error?.code, 'upstream_error');
    const ids: string[] = [];
    for await (const video of videos.list({ limit: 1 })) ids.push(video.id);
    assert.deepEqual(ids.slice(0, 2), [other.id, made.id]);
    assert.deepEqual(await videos.delete(made.id), { id: made.id, object: 'video.deleted', deleted: true });
    await assert.rejects(async () => videos.retrieve(made.id), NotFoundError);

    async function ended(id: string): Promise<OpenAI.Videos.Video> {
      for (;;) {
        const video = await videos.retrieve(id);
        if (video.status === 'completed' || video.status === 'failed') return video;
        await pause(100);
      }
    }
  });

  test(`${root}: npm's SDK uploads, lists, downloads and deletes files`, async () => {
    const { files } = client();
    const upload = async (name: string) =>
      files.create({ file: await toFile(Buffer.from('{}\n'), name), purpose: 'batch' });
    const [first, second] = [await upload('一.jsonl'), await upload('b.jsonl')];
    assert.deepEqual([first.filename, first.bytes], ['一.jsonl', 3]);
    assert.equal((first.expires_at ?? 0) - first.created_at, 2_592_000);
    assert.deepEqual(await files.retrieve(first.id), first);
    assert.equal(await (await files.content(first.id)).text(), '{}\n');
    const ids: string[] = [];
    for await (const { id } of files.list({ limit: 1, purpose: 'batch' })) {
      ids.push(id);
      assert.deepEqual(await files.delete(id), { id, object: 'file', deleted: true });
    }
    assert.deepEqual(ids.slice(0, 2), [second.id, first.id]);
    await assert.rejects(async () => files.retrieve(first.id), NotFoundError);
    const hour = { anchor: 'created_at', seconds: 3600 } as const;
    const timed = await files.create({ file: await gate(), purpose: 'vision', expires_after: hour });
    assert.equal((timed.expires_at ?? 0) - timed.created_at, 3600);
    await assert.rejects(
      async () => files.create({ file: await gate(), purpose: 'batch' }),
      (error: unknown) => error instanceof BadRequestError && error.param === 'file',
    );
  });

  test(`${root}: npm's SDK runs a batch from the upload to its output file, and cancels one`, async () => {
    const { batches, files } = client();
    const lines = [1, 2].map((n) =>
      JSON.stringify({
        ...{ custom_id: `line ${n}`, method: 'POST', url: '/v1/embeddings' },
        body: { model: 'sim-embedding', input: `text ${n}` },
      }),
    );
    const input = await files.create({
      file: await toFile(Buffer.from(lines.join('\n')), 'a.jsonl'),
      purpose: 'batch',
    });
    const wanted = { input_file_id: input.id, endpoint: '/v1/embeddings', completion_window: '24h' } as const;
    const made = await batches.create({ ...wanted, metadata: { job: 'nightly' } });
    assert.deepEqual([made.object, made.status, made.metadata], ['batch', 'validating', { job: 'nightly' }]);
    const done = await until('the end of the batch', async () => {
      const batch = await batches.retrieve(made.id);
      return batch.status === 'completed' ? batch : undefined;
    });
    assert.deepEqual(done.request_counts, { total: 2, completed: 2, failed: 0 });
    const output = await (await files.content(done.output_file_id ?? '')).text();
    assert.deepEqual(
      output
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { custom_id: string }).custom_id),
      ['line 1', 'line 2'],
    );
    const other = await batches.create(wanted);
    const ids: string[] = [];
    for await (const { id } of batches.list({ limit: 1 })) ids.push(id);
    assert.deepEqual(ids.slice(0, 2), [other.id, made.id]);
    await assert.rejects(async () => batches.cancel(made.id), ConflictError);
    await assert.rejects(async () => batches.retrieve('batch_none'), NotFoundError);
  });

  for (const version of versions) {
    test(`${root}: PyPI's SDK ${version} does all of it`, async () => {
      const { stdout } = await run(pythons.get(version) ?? '', [script], {
        timeout: 120_000,
        env: {
          ...process.env,
          SDK_BASE_URL: `${gateway.url}${root}`,
          SDK_KEY: gateway.key,
          SDK_IMAGE: image.toString('base64'),
          SDK_MASK: mask.toString('base64'),
        },
      });
      const reported = stdout
        .trim()
        .split('\n')
        .map((text) => line.parse(JSON.parse(text)));
      assert.deepEqual(reported, [
        { name: 'edit', count: 2, is_link: true },
        { name: 'several', begins: 'PNG' },
        { name: 'variation', count: 1 },
        { name: 'created', object: 'video', status: 'queued', seconds: '5' },
        { name: 'completed', status: 'completed', progress: 100, begins: 'ftyp' },
        { name: 'failed', status: 'failed', code: 'upstream_error', size: '1280x720' },
        { name: 'listed', is_newest_first: true },
        { name: 'deleted', deleted: true, object: 'video.deleted' },
        { name: 'gone', code: 'task_not_found' },
        { name: 'refused', param: 'seconds' },
        { name: 'file', bytes: 3, filename: 'lines.jsonl', seconds: 3600, is_same: true, content: '{}\n' },
        { name: 'files', is_newest_first: true },
        { name: 'file deleted', deleted: true, object: 'file' },
        { name: 'file gone', code: 'file_not_found' },
        { name: 'batch', status: 'completed', completed: 1, custom_id: 'a', is_first: true },
        { name: 'batch over', code: 'batch_not_cancellable' },
      ]);
    });
  }
}

/** The fixtures' models as callers buy them: how they are published, what is sent for each kind, and how a task ends. */
import assert from 'node:assert/strict';
import type { FixtureModel, ProviderFixture } from '../providers/contract/fixture.ts';
import { imageFile, providerOf } from '../providers/contract/jobs.ts';
import type { StandIn } from '../providers/contract/stand-in.ts';
import { bearer } from './gateway.ts';
import { until } from './process.ts';

export const perImage = 0.25;
export const perSecond = 0.05;

/** A provider of the fixture's kind for `tollgate.yaml`. */
export const providerSettings = (
  { definition, secrets }: ProviderFixture,
  baseUrl: string,
  more: Record<string, unknown> = {},
): Record<string, unknown> => ({ kind: definition.kind, base_url: baseUrl, ...secrets, ...more });

/** A model for `tollgate.yaml`, with one route to each of these providers. */
export const modelSettings = (
  id: string,
  { kind, model, options, fields, form }: FixtureModel,
  providers: string[],
) => ({
  ...{ id, kind },
  ...(form && { limits: { mask: true, variations: true } }),
  routes: providers.map((provider) => ({ provider, model, ...(options && { options }), ...(fields && { fields }) })),
  ...(kind === 'image'
    ? { price: { per_image: perImage }, quality_scale: { low: 25, medium: 50, high: 75 } }
    : { price: { per_second: perSecond } }),
});

/** What a caller has: addresses of an image, a video and audio, and files to upload. */
export interface CallerMedia {
  image: string;
  video: string;
  audio: string;
  uploads: { audio: Buffer; video: Buffer };
}

export interface Customer {
  url: string;
  key: string;
}

export interface Created {
  /** Of the creation. */
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
  id: string;
  /** Where its record or video is. */
  address: string;
}

/** Creates a task of this model, published as `id`; images and videos wait for its end unless `headers` say otherwise. */
export async function createTask(
  { url, key }: Customer,
  { id, model, media }: { id: string; model: FixtureModel; media: CallerMedia },
  headers: Record<string, string> = {},
): Promise<Created> {
  const records = {
    ...{ image: '/v1/images/generations', video: '/v1/video/generations' },
    ...{ 'avatar-video': '/v1/video/generations', 'avatar-image': '/v1/video/generations' },
    'avatar-talk': '/v1/svctalk/generate',
  }[model.kind];
  const isUpload = model.kind === 'avatar-talk' || model.form !== undefined;
  const path = pathOf(model) ?? records;
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { ...bearer(key), ...(!isUpload && { 'Content-Type': 'application/json' }), ...headers },
    body: isUpload ? formOf(id, model, media) : JSON.stringify(bodyOf(id, model, media)),
  });
  const body = (await answer.json()) as Record<string, unknown>;
  assert.equal(typeof body['id'], 'string', JSON.stringify(body));
  return {
    status: answer.status,
    headers: answer.headers,
    body,
    id: String(body['id']),
    address: `${records}/${String(body['id'])}`,
  };
}

/** Of those that are created elsewhere than where their records are. */
function pathOf({ form, isOfVideos }: FixtureModel): string | undefined {
  if (form !== undefined) return form === 'edit' ? '/v1/images/edits' : '/v1/images/variations';
  return isOfVideos ? '/v1/videos' : undefined;
}

/** The suite's request of each kind (`test/providers/contract/jobs.ts`), in the form that its endpoint takes. */
function bodyOf(
  id: string,
  { kind, upscales, isOfVideos }: FixtureModel,
  { image: imageUrl, video, audio }: CallerMedia,
) {
  const image = { type: 'image_url', image_url: { url: imageUrl } };
  const voice = { type: 'audio_url', audio_url: { url: audio } };
  switch (kind) {
    case 'image':
      if (upscales) return { model: id, upscale: true, resolution: '4k', image_urls: [imageUrl] };
      return { model: id, prompt: 'A toll gate at dawn', size: '1024x1024', n: 2, image_urls: [imageUrl] };
    case 'video':
      if (isOfVideos) {
        const last = [{ ...image, frame_type: 'last_frame' }];
        const asked = { seconds: '5', size: '720x1280', seed: 7 };
        return {
          model: id,
          prompt: 'Cars pass',
          ...asked,
          input_reference: { image_url: imageUrl },
          frame_images: last,
        };
      }
      return { model: id, content: [{ type: 'text', text: 'Cars pass' }, image], duration: 5, ratio: '16:9' };
    case 'avatar-video':
      return { model: id, audioUrl: audio, videoUrl: video };
    case 'avatar-image':
      return { model: id, content: [image, voice] };
    case 'avatar-talk':
      throw new TypeError('a talk is a form');
  }
}

function formOf(id: string, { form: imageForm, masks }: FixtureModel, { uploads }: CallerMedia): FormData {
  const form = new FormData();
  form.set('model', id);
  if (imageForm !== undefined) {
    const image = new Blob([new Uint8Array(imageFile)]);
    for (const [name, text] of [
      ['size', '1024x1024'],
      ['n', '2'],
    ] as const)
      form.set(name, text);
    if (imageForm === 'edit') form.set('prompt', 'A toll gate at dawn');
    form.set('image', image, 'image.png');
    if (masks) form.set('mask', image, 'mask.png');
    return form;
  }
  form.set('audio', new Blob([uploads.audio]), 'voice.wav');
  form.set('video', new Blob([uploads.video]), 'footage.mp4');
  return form;
}

export interface TaskEnd {
  /** Absent if it succeeded. */
  error?: { code: string; message: string };
  /** What the links delivered, or the one fetch of a talk. */
  files: Buffer[];
  cost: number;
  /** Of an image or a video; of a talk what failed. */
  record: Record<string, unknown>;
}

/** How a task ended, once it has. Fetches its result, by links of whatever host through this gateway. */
export async function endOfTask({ url, key }: Customer, address: string): Promise<TaskEnd> {
  return until(`the end of ${address}`, async () => {
    const answer = await fetch(`${url}${address}`, { headers: bearer(key) });
    if (answer.headers.get('content-type') === 'video/mp4') {
      const file = Buffer.from(await answer.arrayBuffer());
      return { files: [file], cost: Number(answer.headers.get('x-cost')), record: {} };
    }
    const record = (await answer.json()) as Record<string, unknown>;
    if (record['status'] === 'processing') return undefined;
    assert.equal(answer.status, 200, JSON.stringify(record));
    if (record['status'] !== 'succeeded') {
      return { error: record['error'] as NonNullable<TaskEnd['error']>, files: [], cost: 0, record };
    }
    const items = (record['data'] ?? record['content']) as { url?: string; video_url?: string }[];
    const files = await Promise.all(
      items.map(async (item) => {
        const link = new URL(item.url ?? item.video_url ?? '');
        const download = await fetch(`${url}${link.pathname}${link.search}`);
        assert.equal(download.status, 200);
        return Buffer.from(await download.arrayBuffer());
      }),
    );
    return { files, cost: (record['_local'] as { cost: number }).cost, record };
  });
}

/** The types of a task's ledger entries in alphabetical order, and what it was charged. */
export async function booked({ url, key }: Customer, taskId: string): Promise<{ types: string[]; charged: number }> {
  const answer = await fetch(`${url}/v1/account/ledger?task_id=${taskId}`, { headers: bearer(key) });
  const { data } = (await answer.json()) as { data: { type: string; charged: number }[] };
  return { types: data.map(({ type }) => type).sort(), charged: data.reduce((sum, { charged }) => sum + charged, 0) };
}

/** What becomes of a task whose create was taken and never answered. */
export type LostEnd =
  /** The same is sent again, and the service knows it. */
  | 'sent again'
  /** It is found among the provider's jobs. */
  | 'looked up'
  /** The provider's call at its end names the job. */
  | 'called back'
  /** The outcome stays unknown: the task fails at its deadline. */
  | 'given up';

/** What the abilities that its provider declares promise for a model. */
export async function lostEndOf(fixture: ProviderFixture, { polls = true }: FixtureModel): Promise<LostEnd> {
  const provider = providerOf(fixture, `http://127.0.0.1:1${fixture.basePath}`);
  const { idempotent, lookup, webhook } = provider.abilities;
  await provider.close?.();
  if (idempotent) return 'sent again';
  if (!polls) return 'given up'; // the answer was the result
  return lookup ? 'looked up' : webhook ? 'called back' : 'given up';
}

/** Plays the provider's call at the end of the job that the stand-in took last. */
export async function callHook(fixture: ProviderFixture, { jobs }: StandIn): Promise<void> {
  const job = [...jobs.values()].at(-1);
  const hook = job && fixture.hookOf?.(job);
  assert.ok(hook !== undefined, 'it was not asked to call');
  const answer = await fetch(hook.url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(hook.body),
  });
  assert.ok(answer.ok, `the hook answered ${answer.status}`);
}

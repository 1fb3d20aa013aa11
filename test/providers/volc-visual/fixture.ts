/** Volcengine Visual as its official pages describe it, with the signature checked on every request. */
import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { z } from 'zod';
import { volcVisual } from '../../../src/providers/volc-visual/volc-visual.ts';
import type { ProviderFixture, Reply, SeenRequest, StandInJob } from '../contract/fixture.ts';

const secrets = { access_key: 'AKLTaccessKeyOfTheTests', secret_key: 'c2VjcmV0IGtleSBvZiB0aGUgdGVzdHM=' };
const asked = z.object({ req_key: z.string(), task_id: z.string(), req_json: z.string().optional() });
const submitted = z.object({ req_key: z.string() });

export const volcVisualFixture: ProviderFixture = {
  definition: volcVisual,
  secrets,
  basePath: '',
  models: [
    {
      kind: 'image',
      model: 'jimeng_seedream46_cvtob',
      options: { seed: 7 },
      body: ({ imageUrl }) => ({
        ...{ req_key: 'jimeng_seedream46_cvtob', prompt: 'A toll gate at dawn', image_urls: [imageUrl] },
        ...{ width: 1024, height: 1024, scale: 50, force_single: false, seed: 7 },
      }),
    },
    {
      kind: 'image',
      model: 'jimeng_seedream46_cvtob',
      upscales: true,
      body: ({ imageUrl }) => ({ req_key: 'jimeng_i2i_seed3_tilesr_cvtob', image_urls: [imageUrl], resolution: '4k' }),
    },
    {
      kind: 'avatar-video',
      model: 'realman_change_lips',
      options: { align_audio: true },
      body: ({ videoUrl, audioUrl }) => ({
        ...{ req_key: 'realman_change_lips', url: videoUrl, pure_audio_url: audioUrl, align_audio: true },
      }),
    },
    {
      kind: 'avatar-image',
      model: 'jimeng_realman_avatar_picture_omni_v15',
      body: ({ imageUrl, audioUrl }) => ({
        ...{ req_key: 'jimeng_realman_avatar_picture_omni_v15', image_url: imageUrl, audio_url: audioUrl },
      }),
    },
  ],
  isCreate: (request) => actionOf(request).endsWith('SubmitTask'),
  assertSigned,
  created: (request, job, behaviour) => {
    const { req_key } = submitted.parse(request.json);
    const isImage = !req_key.includes('realman');
    if (actionOf(request) !== (isImage ? 'CVSync2AsyncSubmitTask' : 'CVSubmitTask')) return failed(400, 50402, '');
    switch (behaviour) {
      case 'takes':
        return succeeded({ task_id: job.id });
      case 'refuses input':
        return failed(400, 50215, 'Input invalid for this service.');
      case 'refuses policy':
        return failed(400, 50412, 'Text Risk Not Pass');
      case 'is busy':
        return failed(429, 50430, 'Request Has Reached API Concurrent Limit, Please Try Later');
      case 'has an account failure':
        return failed(401, 50400, 'Access Denied: Internal Error');
      case 'breaks':
        return failed(500, 50500, 'Internal Error');
    }
  },
  asked: (request, { jobs }) => {
    const { req_key, task_id, req_json } = asked.parse(request.json);
    const isImage = !req_key.includes('realman');
    if (actionOf(request) !== (isImage ? 'CVSync2AsyncGetResult' : 'CVGetResult')) return failed(400, 50402, '');
    const job = jobs.get(task_id);
    if (job === undefined || submitted.parse(job.request.json).req_key !== req_key)
      return succeeded({ status: 'not_found' });
    job.polls++;
    if (isImage && req_json !== '{"return_url":true}') return failed(400, 50200, 'images were to come as addresses');
    return resultOf(job, req_key);
  },
  errors: [
    {
      name: 'a signature that does not match',
      reply: {
        status: 401,
        json: {
          ResponseMetadata: {
            ...{ RequestId: 'upstream-request-1', Action: 'CVSubmitTask', Version: '2022-08-31' },
            ...{ Service: 'cv', Region: 'cn-north-1' },
            Error: { CodeN: 100010, Code: 'SignatureDoesNotMatch', Message: `AK ${secrets.access_key} is wrong` },
          },
        },
      },
      ...{ code: 'upstream_error', fallOver: true },
    },
    {
      name: 'a req_key that is not there',
      reply: failed(400, 50200, 'Invalid Input Parameters: req_key'),
      ...{ code: 'upstream_error', fallOver: true },
    },
    {
      name: 'a refusal under the status of a success',
      reply: failed(200, 50411, 'Pre Img Risk Not Pass'),
      ...{ code: 'content_policy_violation', fallOver: false },
    },
    {
      name: 'a refusal under the status of a failure',
      reply: failed(500, 50207, 'Image Decode Error'),
      ...{ code: 'invalid_parameter', fallOver: false },
    },
  ],
};

const actionOf = ({ path }: SeenRequest) => new URL(path, 'http://here').searchParams.get('Action') ?? '';

function succeeded(data: unknown): Reply {
  const rest = { message: 'Success', request_id: 'upstream-request-1', status: 10000, time_elapsed: '104.852309ms' };
  return { json: { code: 10000, data, ...rest } };
}

function failed(status: number, code: number, message: string): Reply {
  const rest = { request_id: 'upstream-request-1', status: code, time_elapsed: '36.799829ms' };
  return { status, json: { code, data: null, message, ...rest } };
}

function resultOf(job: StandInJob, reqKey: string): Reply {
  if (job.polls < 2 || job.behaviour === 'runs on') {
    return succeeded({ status: job.polls < 2 ? 'in_queue' : 'generating', image_urls: null, binary_data_base64: null });
  }
  if (job.behaviour === 'fails') return failed(500, 50501, 'Internal RPC Error');
  if (job.behaviour === 'fails by policy') return failed(400, 50511, 'Post Img Risk Not Pass');
  if (!reqKey.includes('realman')) {
    return succeeded({ status: 'done', image_urls: job.files, binary_data_base64: null });
  }
  const [url] = job.files;
  if (reqKey.startsWith('jimeng_')) return succeeded({ status: 'done', video_url: url, aigc_meta_tagged: false });
  const embedded = JSON.stringify({ url, progress: 100 });
  return succeeded({ status: 'done', resp_data: embedded, binary_data_base64: [], image_urls: null });
}

/** As the service's own example computes it, from what came in. */
function assertSigned({ method, path, headers, text }: SeenRequest): void {
  const { pathname, search } = new URL(path, 'http://here');
  assert.match(search, /^\?Action=CV(Sync2Async)?(SubmitTask|GetResult)&Version=2022-08-31$/);
  const date = String(headers['x-date']);
  assert.match(date, /^\d{8}T\d{6}Z$/);
  const digest = createHash('sha256').update(text).digest('hex');
  assert.equal(headers['x-content-sha256'], digest);
  assert.equal(headers['content-type'], 'application/json');
  const names = 'content-type;host;x-content-sha256;x-date';
  const lines = names.split(';').map((name) => `${name}:${String(headers[name])}\n`);
  const canonical = `${method}\n${pathname}\n${search.slice(1)}\n${lines.join('')}\n${names}\n${digest}`;
  const day = date.slice(0, 8);
  const scope = `${day}/cn-north-1/cv/request`;
  const toSign = `HMAC-SHA256\n${date}\n${scope}\n${createHash('sha256').update(canonical).digest('hex')}`;
  let key = Buffer.from(secrets.secret_key);
  for (const part of [day, 'cn-north-1', 'cv', 'request']) key = createHmac('sha256', key).update(part).digest();
  const signature = createHmac('sha256', key).update(toSign).digest('hex');
  assert.equal(
    headers['authorization'],
    `HMAC-SHA256 Credential=${secrets.access_key}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  );
}

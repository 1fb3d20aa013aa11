/** OpenAI's service as its API reference describes images. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { openai } from '../../../src/providers/openai/openai.ts';
import type { ProviderFixture, Reply, SeenRequest } from '../contract/fixture.ts';
import { imageFile } from '../contract/jobs.ts';

export const openaiFixture: ProviderFixture = {
  definition: openai,
  secrets: { api_key: 'sk-operator-key-of-the-tests-1' },
  basePath: '/v1',
  models: [
    {
      ...{ kind: 'image', model: 'gpt-image-2', polls: false },
      options: { moderation: 'low', output_compression: 90 },
      body: () => ({
        ...{ model: 'gpt-image-2', prompt: 'A toll gate at dawn', n: '2', size: '1024x1024', quality: 'medium' },
        ...{ moderation: 'low', output_compression: '90' },
        image: { type: 'image/png', sha256: sha256(imageFile) },
      }),
    },
    {
      ...{ kind: 'image', model: 'gpt-image-2', polls: false, form: 'edit', masks: true },
      body: () => ({
        ...{ model: 'gpt-image-2', prompt: 'A toll gate at dawn', n: '2', size: '1024x1024', quality: 'medium' },
        image: { type: 'image/png', sha256: sha256(imageFile) },
        mask: { type: 'image/png', sha256: sha256(imageFile) },
      }),
    },
    {
      ...{ kind: 'image', model: 'dall-e-2', polls: false, form: 'variation' },
      body: () => ({
        ...{ model: 'dall-e-2', n: '2', size: '1024x1024', response_format: 'b64_json' },
        image: { type: 'image/png', sha256: sha256(imageFile) },
      }),
    },
    {
      ...{ kind: 'image', model: 'gpt-image-1-mini', polls: false, isFromText: true },
      fields: { size: 'dimensions', quality: null },
      body: () => ({ model: 'gpt-image-1-mini', prompt: 'A toll gate at dawn', n: 2, dimensions: '1024x1024' }),
    },
    {
      ...{ kind: 'image', model: 'dall-e-3', polls: false, isFromText: true },
      body: () => ({
        ...{ model: 'dall-e-3', prompt: 'A toll gate at dawn', n: 2, size: '1024x1024' },
        response_format: 'b64_json',
      }),
    },
  ],
  isCreate: ({ method, path }) => method === 'POST' && /^\/v1\/images\/(?:generations|edits|variations)$/.test(path),
  assertSigned: ({ headers }) => assert.equal(headers['authorization'], 'Bearer sk-operator-key-of-the-tests-1'),
  formOf,
  created: (_, { content }, behaviour) => {
    switch (behaviour) {
      case 'takes': {
        const image = { b64_json: content.toString('base64') };
        return { json: { created: 1_790_000_000, data: [image, image], usage: { total_tokens: 5_000 } } };
      }
      case 'refuses input':
        return refusal(400, "Invalid size '8x8'.", { param: 'size', code: 'invalid_value' });
      case 'refuses policy':
        return refusal(400, 'Your request was rejected by the safety system. safety_violations=[violence].', {
          ...{ type: 'image_generation_user_error', code: 'moderation_blocked' },
        });
      case 'is busy':
        return refusal(429, 'Rate limit reached for gpt-image-2 on images per minute.', {
          ...{ type: 'input-images', code: 'rate_limit_exceeded' },
        });
      case 'has an account failure':
        return refusal(429, 'You exceeded your current quota, please check your plan and billing details.', {
          ...{ type: 'insufficient_quota', code: 'insufficient_quota' },
        });
      case 'breaks':
        return refusal(500, 'The server had an error while processing your request.', { type: 'server_error' });
    }
  },
  asked: ({ path }) => (path === '/v1/models' ? { json: { object: 'list', data: [] } } : undefined),
  errors: [
    {
      name: 'a key that is not accepted',
      reply: refusal(401, 'Incorrect API key provided: sk-opera*****sts-1.', { code: 'invalid_api_key' }),
      ...{ code: 'upstream_error', fallOver: true },
    },
    {
      name: 'an organization that is not verified',
      reply: refusal(403, 'Your organization must be verified to use the model `gpt-image-2`.'),
      ...{ code: 'upstream_error', fallOver: true },
    },
    {
      name: 'a model that is not there',
      reply: refusal(404, 'The model `gpt-image-9` does not exist.', { code: 'model_not_found' }),
      ...{ code: 'upstream_error', fallOver: true },
    },
    {
      name: 'a model that the images API does not have',
      reply: refusal(400, "Invalid value: 'gpt-9'.", { param: 'model', code: 'invalid_value' }),
      ...{ code: 'upstream_error', fallOver: true },
    },
    {
      name: 'a spending limit',
      reply: refusal(400, 'Billing hard limit has been reached.', { code: 'billing_hard_limit_reached' }),
      ...{ code: 'upstream_error', fallOver: true },
    },
    {
      name: 'a rejected prompt in the words of DALL·E',
      reply: refusal(400, 'Your request was rejected.', { code: 'content_policy_violation' }),
      ...{ code: 'content_policy_violation', fallOver: false },
    },
    {
      name: 'a rejected prompt without a code',
      reply: refusal(400, 'Your request was rejected as a result of our safety system. '),
      ...{ code: 'content_policy_violation', fallOver: false },
    },
  ],
};

function refusal(status: number, message: string, fields: Record<string, string> = {}): Reply {
  return { status, json: { error: { message, type: 'invalid_request_error', param: null, code: null, ...fields } } };
}

/** A form's fields by their names; files by their type and what they hold. */
async function formOf({ bytes, headers }: SeenRequest): Promise<unknown> {
  const type = String(headers['content-type']);
  if (!type.startsWith('multipart/form-data')) return undefined;
  assert.equal(headers['content-length'], String(bytes.length));
  // oxlint-disable-next-line typescript/no-deprecated -- a few kilobytes, and a parser that is not ours
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData();
  const fields = await Promise.all(
    [...form].map(async ([name, value]) => {
      if (typeof value === 'string') return [name, value] as const;
      const content = Buffer.from(await value.arrayBuffer());
      return [name, { type: value.type, sha256: sha256(content) }] as const;
    }),
  );
  return Object.fromEntries(fields);
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

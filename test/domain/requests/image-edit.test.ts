import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { valuesOfForm } from '../../../src/domain/requests/form-fields.ts';
import {
  imageFormTypes,
  parseEditBody,
  parseEditForm,
  parseVariationForm,
} from '../../../src/domain/requests/image-edit.ts';
import type { ImageRequest } from '../../../src/domain/requests/image-request.ts';
import { accepts, modelOf, refuses } from './cases.ts';

const model = modelOf('image');
const form = { model: model.id, prompt: 'Fog' };
const address = 'https://a.example/1.png';
const dataUri = 'data:image/png;base64,iVBORw0KGgo=';
const json = { ...form, images: [{ image_url: address }] };
const images = (count: number, url = address) => Array.from({ length: count }, () => ({ image_url: url }));
const sized = (width: number, height: number) => ({ mode: 'sized', width, height }) as const;

describe('the form of an edit', () => {
  const parse = (body: unknown, files = { images: 1, hasMask: false }) => parseEditForm(body, files, model);
  refuses(
    [
      ['no prompt', { model: model.id }, 'missing_parameter', 'prompt'],
      ['a blank prompt', { ...form, prompt: ' ' }, 'invalid_parameter', 'prompt'],
      ['a prompt that is too long', { ...form, prompt: 'a'.repeat(32_001) }, 'invalid_parameter', 'prompt'],
      ['a size outside the limits', { ...form, size: '256x256' }, 'invalid_parameter', 'size'],
      ['eleven images', { ...form, n: 11 }, 'invalid_parameter', 'n'],
      ['a stream', { ...form, stream: true }, 'invalid_parameter', 'stream'],
      ['a resolution without a ratio', { ...form, resolution: '2k' }, 'missing_parameter', 'ratio'],
      ['a webhook that is no address', { ...form, webhook_url: 'here' }, 'invalid_parameter', 'webhook_url'],
    ],
    parse,
  );
  accepts<ImageRequest>(
    [
      ['no more than it needs', form, { form: 'edit', n: 1, quality: 'medium', pixels: sized(2048, 2048) }],
      [
        'all of it',
        { ...form, n: 2, size: '1024x1536', quality: 'hd', user: 'u' },
        { n: 2, pixels: sized(1024, 1536) },
      ],
      ['base64', { ...form, response_format: 'b64_json' }, { responseFormat: 'b64_json' }],
    ],
    parse,
  );

  test('its files stand for themselves among the references', () => {
    const request = parse(form, { images: 2, hasMask: true });
    assert.deepEqual([request.imageUrls, request.mask], [['upload:image0', 'upload:image1'], 'upload:mask']);
  });

  test('more files than the model takes are refused', () => {
    const few = modelOf('image', { limits: { references: 1 } });
    const refused = { code: 'invalid_parameter', param: 'image' };
    assert.throws(() => parseEditForm({ ...form, model: few.id }, { images: 2, hasMask: false }, few), refused);
  });

  test('its texts become values, an empty one counts as absent, and what is none stays as it is', () => {
    const texts = { n: '3', stream: 'False', prompt: '12', size: '', quality: 'high' };
    const values = { n: 3, stream: false, prompt: '12', quality: 'high' };
    assert.deepEqual(valuesOfForm(texts, imageFormTypes), values);
    assert.deepEqual(valuesOfForm({ n: '1.5', stream: '1' }, imageFormTypes), { n: '1.5', stream: '1' });
  });
});

describe('the JSON body of an edit', () => {
  const parse = (body: unknown) => parseEditBody(body, model).request;
  refuses(
    [
      ['no images', form, 'missing_parameter', 'images'],
      ['an empty list', { ...form, images: [] }, 'invalid_parameter', 'images'],
      ['17 images', { ...form, images: images(17) }, 'invalid_parameter', 'images'],
      ['an address that is none', { ...form, images: images(1, 'here') }, 'invalid_parameter', 'images[0].image_url'],
      [
        'what stands for an upload',
        { ...form, images: images(1, 'upload:image0') },
        'invalid_parameter',
        'images[0].image_url',
      ],
      ['a text for an image', { ...form, images: [address] }, 'invalid_parameter', 'images[0]'],
      ['a file id', { ...form, images: [{ file_id: 'file-1' }] }, 'missing_parameter', 'images[0].image_url'],
      ['a mask that is a text', { ...json, mask: address }, 'invalid_parameter', 'mask'],
      ['a mask without an address', { ...json, mask: {} }, 'missing_parameter', 'mask.image_url'],
    ],
    parse,
  );
  accepts<ImageRequest>(
    [
      ['16 images', { ...form, images: images(16) }, { form: 'json_edit', imageUrls: Array<string>(16).fill(address) }],
      ['a mask by its address', { ...json, mask: { image_url: address } }, { mask: address }],
      ['no mask', { ...json, mask: null }, {}],
    ],
    parse,
  );

  test('what it holds itself is handed back, with the name under which it came', () => {
    const body = { ...form, images: [...images(1), ...images(1, dataUri)], mask: { image_url: dataUri } };
    const { request, inline } = parseEditBody(body, model);
    assert.deepEqual([request.imageUrls, request.mask], [[address, 'upload:image1'], 'upload:mask']);
    assert.deepEqual(inline, [
      { name: 'image1', param: 'images[1].image_url', dataUri },
      { name: 'mask', param: 'mask.image_url', dataUri },
    ]);
  });
});

describe('the form of a variation', () => {
  const parse = (body: unknown) => parseVariationForm(body, model);
  refuses([['a text for n', { model: model.id, n: 'two' }, 'invalid_parameter', 'n']], parse);
  accepts<ImageRequest>(
    [['a prompt, which is not read', form, { form: 'variation', prompt: '', imageUrls: ['upload:image0'] }]],
    parse,
  );
});

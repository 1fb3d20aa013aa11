/** Every rule of the image creation body: the refused value and the last allowed one. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { imageRatios, pixelsOf } from '../../../src/domain/tasks/pixels.ts';
import { type ImageRequest, parseImageRequest } from '../../../src/domain/requests/image-request.ts';
import { accepts, modelOf, refuses } from './cases.ts';

const any = modelOf('image');
const short = modelOf('image', { limits: { promptCharacters: 800 } });
const large = modelOf('image', { limits: { resolutions: ['4k', '1k'] } });
const urls = (count: number) => Array.from({ length: count }, (_, index) => `https://images.example/${index}.png`);
const of = (fields: object) => ({ model: 'some-image', prompt: 'a cat', ...fields });
const upscale = (fields: object) => ({ model: 'some-image', upscale: true, image_urls: urls(1), ...fields });
const sized = (width: number, height: number): ImageRequest['pixels'] => ({ mode: 'sized', width, height });
const longUrl = (length: number) => 'https://h.example/'.padEnd(length, 'a');

test('a plain request has the documented defaults', () => {
  assert.deepEqual(parseImageRequest(of({}), any), {
    model: 'some-image',
    prompt: 'a cat',
    quality: 'medium',
    n: 1,
    imageUrls: [],
    pixels: sized(2048, 2048),
  });
});

describe('an image body', () => {
  refuses(
    [
      ['a body that is null', null, 'invalid_parameter', null],
      ['a body that is an array', [], 'invalid_parameter', null],
      ['a body that is a text', 'a cat', 'invalid_parameter', null],
      ['a body without a model', { prompt: 'a cat' }, 'missing_parameter', 'model'],
      ['a body without a prompt', { model: 'm' }, 'missing_parameter', 'prompt'],
      ['a prompt of null', of({ prompt: null }), 'missing_parameter', 'prompt'],
      ['an empty prompt', of({ prompt: '' }), 'invalid_parameter', 'prompt'],
      ['a blank prompt', of({ prompt: ' \n' }), 'invalid_parameter', 'prompt'],
      ['a prompt that is a number', of({ prompt: 5 }), 'invalid_parameter', 'prompt'],
      ['a prompt of 32,001 characters', of({ prompt: 'a'.repeat(32_001) }), 'invalid_parameter', 'prompt'],
      ['a quality outside the list', of({ quality: 'best' }), 'invalid_parameter', 'quality'],
      ['a quality in capitals', of({ quality: 'HIGH' }), 'invalid_parameter', 'quality'],
      ['a ratio outside the list', of({ ratio: '3:1' }), 'invalid_parameter', 'ratio'],
      ['a ratio that is a number', of({ ratio: 1 }), 'invalid_parameter', 'ratio'],
      ['a resolution outside the list', of({ resolution: '3k', ratio: '1:1' }), 'invalid_parameter', 'resolution'],
      ['8k without upscaling', of({ resolution: '8k', ratio: '1:1' }), 'invalid_parameter', 'resolution'],
      ['8k beside a size', of({ resolution: '8k', size: '1024x1024' }), 'invalid_parameter', 'resolution'],
      ['a resolution without a ratio', of({ resolution: '2k' }), 'missing_parameter', 'ratio'],
      ['a resolution with a ratio of null', of({ resolution: '2k', ratio: null }), 'missing_parameter', 'ratio'],
      ['a bad ratio beside a size', of({ size: '1024x1024', ratio: '7:5' }), 'invalid_parameter', 'ratio'],
      [
        'a bad resolution beside a size',
        of({ size: '1024x1024', resolution: '9k' }),
        'invalid_parameter',
        'resolution',
      ],
      ['a size without an x', of({ size: '1024' }), 'invalid_parameter', 'size'],
      ['a size that is empty', of({ size: '' }), 'invalid_parameter', 'size'],
      ['a size with a capital X', of({ size: '1024X1024' }), 'invalid_parameter', 'size'],
      ['a size with spaces', of({ size: '1024 x 1024' }), 'invalid_parameter', 'size'],
      ['a size with a fraction', of({ size: '1024.5x1024' }), 'invalid_parameter', 'size'],
      ['a size with a sign', of({ size: '-2048x-2048' }), 'invalid_parameter', 'size'],
      ['a size with a leading zero', of({ size: '02048x2048' }), 'invalid_parameter', 'size'],
      ['a size of six digits', of({ size: '100000x100000' }), 'invalid_parameter', 'size'],
      ['a size with a line after it', of({ size: '1024x1024\n' }), 'invalid_parameter', 'size'],
      ['a size that is an object', of({ size: { width: 1024 } }), 'invalid_parameter', 'size'],
      ['an area just below 1,048,576', of({ size: '1025x1023' }), 'invalid_parameter', 'size'],
      ['an area one row too small', of({ size: '1024x1023' }), 'invalid_parameter', 'size'],
      ['an area just above 16,777,216', of({ size: '4097x4096' }), 'invalid_parameter', 'size'],
      ['a width of more than 3 heights', of({ size: '3001x1000' }), 'invalid_parameter', 'size'],
      ['a height of more than 3 widths', of({ size: '1000x3001' }), 'invalid_parameter', 'size'],
      ['15 reference images', of({ image_urls: urls(15) }), 'invalid_parameter', 'image_urls'],
      ['image_urls that are a text', of({ image_urls: urls(1)[0] }), 'invalid_parameter', 'image_urls'],
      [
        'a reference that is a data URI',
        of({ image_urls: [...urls(3), 'data:image/png;base64,AAAA'] }),
        'invalid_parameter',
        'image_urls[3]',
      ],
      ['a reference by ftp', of({ image_urls: ['ftp://a.example/1.png'] }), 'invalid_parameter', 'image_urls[0]'],
      ['a reference without a host', of({ image_urls: ['https://'] }), 'invalid_parameter', 'image_urls[0]'],
      ['a relative reference', of({ image_urls: ['/1.png'] }), 'invalid_parameter', 'image_urls[0]'],
      [
        'a reference with a space',
        of({ image_urls: ['https://a.example/1 .png'] }),
        'invalid_parameter',
        'image_urls[0]',
      ],
      ['a reference of null', of({ image_urls: [null] }), 'invalid_parameter', 'image_urls[0]'],
      [
        'a reference that is an object',
        of({ image_urls: [{ url: urls(1)[0] }] }),
        'invalid_parameter',
        'image_urls[0]',
      ],
      ['a reference of 2,049 characters', of({ image_urls: [longUrl(2049)] }), 'invalid_parameter', 'image_urls[0]'],
      ['no images', of({ n: 0 }), 'invalid_parameter', 'n'],
      ['11 images', of({ n: 11 }), 'invalid_parameter', 'n'],
      ['half an image', of({ n: 1.5 }), 'invalid_parameter', 'n'],
      ['a text for n', of({ n: '2' }), 'invalid_parameter', 'n'],
      ['a text for upscale', of({ upscale: 'true' }), 'invalid_parameter', 'upscale'],
      ['a stream', of({ stream: true }), 'invalid_parameter', 'stream'],
      ['another form of answer', of({ response_format: 'b64' }), 'invalid_parameter', 'response_format'],
      ['a format outside the list', of({ output_format: 'gif' }), 'invalid_parameter', 'output_format'],
      ['a background outside the list', of({ background: 'blue' }), 'invalid_parameter', 'background'],
      [
        'a transparent JPEG',
        of({ background: 'transparent', output_format: 'jpeg' }),
        'invalid_parameter',
        'background',
      ],
      ['a webhook that is no address', of({ webhook_url: 'here' }), 'invalid_parameter', 'webhook_url'],
      ['a webhook of 2,049 characters', of({ webhook_url: longUrl(2049) }), 'invalid_parameter', 'webhook_url'],
    ],
    (body) => parseImageRequest(body, any),
  );

  accepts<ImageRequest>(
    [
      ['a prompt of 32,000 characters', of({ prompt: 'a'.repeat(32_000) }), { prompt: 'a'.repeat(32_000) }],
      ['quality low', of({ quality: 'low' }), { quality: 'low' }],
      ['quality high', of({ quality: 'high' }), { quality: 'high' }],
      ['quality auto, as if absent', of({ quality: 'auto' }), { quality: 'medium' }],
      ['quality standard', of({ quality: 'standard' }), { quality: 'medium' }],
      ['quality hd', of({ quality: 'hd' }), { quality: 'high' }],
      ['size auto, as if absent', of({ size: 'auto', ratio: '16:9' }), { pixels: sized(2736, 1536) }],
      ['base64', of({ response_format: 'b64_json', stream: false }), { responseFormat: 'b64_json' }],
      ['links', of({ response_format: 'url', background: 'auto' }), {}],
      [
        'a format and a background',
        of({ output_format: 'webp', background: 'transparent' }),
        { outputFormat: 'webp', background: 'transparent' },
      ],
      ['resolution 1k', of({ resolution: '1k', ratio: '1:1' }), { pixels: sized(1024, 1024) }],
      ['resolution 4k', of({ resolution: '4k', ratio: '21:9' }), { pixels: sized(6256, 2672) }],
      ['a ratio alone, at 2k', of({ ratio: '16:9' }), { pixels: sized(2736, 1536) }],
      ['the smallest area', of({ size: '1024x1024' }), { pixels: sized(1024, 1024) }],
      ['the largest area', of({ size: '4096x4096' }), { pixels: sized(4096, 4096) }],
      ['a width of 3 heights', of({ size: '3000x1000' }), { pixels: sized(3000, 1000) }],
      ['a height of 3 widths', of({ size: '1000x3000' }), { pixels: sized(1000, 3000) }],
      ['a size that is no multiple of 16', of({ size: '1111x1001' }), { pixels: sized(1111, 1001) }],
      [
        'a size, which wins over resolution and ratio',
        of({ size: '1200x1000', resolution: '4k', ratio: '16:9' }),
        { pixels: sized(1200, 1000) },
      ],
      [
        'a size beside a resolution without a ratio',
        of({ size: '1200x1000', resolution: '4k' }),
        { pixels: sized(1200, 1000) },
      ],
      ['14 references', of({ image_urls: urls(14) }), { imageUrls: urls(14) }],
      ['no references', of({ image_urls: [] }), { imageUrls: [] }],
      ['a reference by http', of({ image_urls: ['http://a.example'] }), { imageUrls: ['http://a.example'] }],
      ['a reference of 2,048 characters', of({ image_urls: [longUrl(2048)] }), { imageUrls: [longUrl(2048)] }],
      ['1 image', of({ n: 1 }), { n: 1 }],
      ['10 images', of({ n: 10 }), { n: 10 }],
      ['a webhook of 2,048 characters', of({ webhook_url: longUrl(2048) }), { webhookUrl: longUrl(2048) }],
      [
        'null for what is optional',
        of({
          quality: null,
          ratio: null,
          resolution: null,
          size: null,
          image_urls: null,
          n: null,
          upscale: null,
          webhook_url: null,
        }),
        { quality: 'medium', n: 1, imageUrls: [], pixels: sized(2048, 2048) },
      ],
      ['fields that it does not know', of({ style: 'vivid', user: 7 }), { prompt: 'a cat' }],
    ],
    (body) => parseImageRequest(body, any),
  );

  for (const ratio of imageRatios) {
    test(`takes the ratio ${ratio}`, () => {
      const { pixels } = parseImageRequest(of({ resolution: '4k', ratio }), any);
      assert.deepEqual(pixels, { mode: 'sized', ...pixelsOf('4k', ratio) });
    });
  }
});

describe('an upscaling body', () => {
  refuses(
    [
      ['no image_urls', { model: 'm', upscale: true }, 'missing_parameter', 'image_urls'],
      ['empty image_urls', upscale({ image_urls: [] }), 'missing_parameter', 'image_urls'],
      ['two image_urls', upscale({ image_urls: urls(2) }), 'invalid_parameter', 'image_urls'],
      ['two results', upscale({ n: 2 }), 'invalid_parameter', 'n'],
      ['a size', upscale({ size: '2048x2048' }), 'invalid_parameter', 'size'],
      ['2k', upscale({ resolution: '2k' }), 'invalid_parameter', 'resolution'],
      ['1k', upscale({ resolution: '1k', ratio: '1:1' }), 'invalid_parameter', 'resolution'],
      ['16k', upscale({ resolution: '16k' }), 'invalid_parameter', 'resolution'],
      ['a ratio outside the list', upscale({ ratio: '7:5' }), 'invalid_parameter', 'ratio'],
      ['a prompt that is too long', upscale({ prompt: 'a'.repeat(32_001) }), 'invalid_parameter', 'prompt'],
    ],
    (body) => parseImageRequest(body, any),
  );

  accepts<ImageRequest>(
    [
      ['no prompt and 4k as the default', upscale({}), { prompt: '', pixels: { mode: 'upscale', longerSide: 4096 } }],
      ['4k', upscale({ resolution: '4k' }), { pixels: { mode: 'upscale', longerSide: 4096 } }],
      ['8k', upscale({ resolution: '8k' }), { pixels: { mode: 'upscale', longerSide: 8192 } }],
      ['one result', upscale({ n: 1 }), { n: 1 }],
      ['a prompt', upscale({ prompt: 'sharper' }), { prompt: 'sharper' }],
      ['an empty prompt', upscale({ prompt: '' }), { prompt: '' }],
      [
        'a resolution that the model has not for plain images',
        upscale({ resolution: '8k' }),
        { pixels: { mode: 'upscale', longerSide: 8192 } },
      ],
    ],
    (body) => parseImageRequest(body, modelOf('image', { limits: { resolutions: ['2k'] } })),
  );
});

describe('a model that takes 800 characters', () => {
  const cat = '🐈';
  refuses(
    [
      ['801 letters', of({ prompt: 'a'.repeat(801) }), 'invalid_parameter', 'prompt'],
      ['801 characters outside the base plane', of({ prompt: cat.repeat(801) }), 'invalid_parameter', 'prompt'],
      ['2,000 letters', of({ prompt: 'a'.repeat(2000) }), 'invalid_parameter', 'prompt'],
      ['801 characters for upscaling', upscale({ prompt: 'a'.repeat(801) }), 'invalid_parameter', 'prompt'],
    ],
    (body) => parseImageRequest(body, short),
  );
  accepts<ImageRequest>(
    [
      ['800 letters', of({ prompt: 'a'.repeat(800) }), { prompt: 'a'.repeat(800) }],
      ['800 Chinese characters', of({ prompt: '猫'.repeat(800) }), { prompt: '猫'.repeat(800) }],
      [
        '800 characters outside the base plane, which are 1,600 units',
        of({ prompt: cat.repeat(800) }),
        { prompt: cat.repeat(800) },
      ],
    ],
    (body) => parseImageRequest(body, short),
  );
});

describe('a model that has 4k and 1k only', () => {
  refuses([['2k', of({ resolution: '2k', ratio: '1:1' }), 'invalid_parameter', 'resolution']], (body) =>
    parseImageRequest(body, large),
  );
  accepts<ImageRequest>(
    [
      ['1k', of({ resolution: '1k', ratio: '1:1' }), { pixels: sized(1024, 1024) }],
      ['no resolution, and gives its first', of({}), { pixels: sized(4096, 4096) }],
      [
        'a size beside 2k, which then counts for nothing',
        of({ size: '2000x2000', resolution: '2k' }),
        { pixels: sized(2000, 2000) },
      ],
    ],
    (body) => parseImageRequest(body, large),
  );
});

describe('of several faults', () => {
  refuses(
    [
      [
        'first the one that the body names first',
        { model: 'm', n: 99, quality: 'best', prompt: 'x' },
        'invalid_parameter',
        'n',
      ],
      [
        'first the one that the body names first, turned round',
        { quality: 'best', n: 99, prompt: 'x', model: 'm' },
        'invalid_parameter',
        'quality',
      ],
      ['what is there before what is missing', { n: 99 }, 'invalid_parameter', 'n'],
      [
        'the first wrong item of an array',
        of({ image_urls: ['a', ...urls(1), 'b'] }),
        'invalid_parameter',
        'image_urls[0]',
      ],
    ],
    (body) => parseImageRequest(body, any),
  );
});

describe('the image endpoint', () => {
  for (const kind of ['chat', 'code', 'video', 'avatar-video', 'avatar-image', 'avatar-talk'] as const) {
    refuses([[`a model of kind ${kind}`, of({}), 'invalid_parameter', 'model']], (body) =>
      parseImageRequest(body, modelOf(kind)),
    );
  }
});

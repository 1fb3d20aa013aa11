import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseVideosBody } from '../../../src/domain/requests/videos-request.ts';
import { itemParam, type VideoRequest } from '../../../src/domain/requests/video-request.ts';
import { accepts, modelOf, refuses } from './cases.ts';

const model = modelOf('video');
const body = { model: model.id, prompt: 'A gate opens' };
const address = 'https://a.example/1.png';
const dataUri = 'data:image/png;base64,iVBORw0KGgo=';
const image = (url: string, more: object = {}) => ({ type: 'image_url', image_url: { url }, ...more });
const frame = (type: string, url = address) => image(url, { frame_type: type });

describe('POST /videos', () => {
  const parse = (given: unknown) => parseVideosBody(given, false, model).request;
  refuses(
    [
      ['no prompt', { model: model.id }, 'missing_parameter', 'prompt'],
      ['a blank prompt', { ...body, prompt: ' ' }, 'invalid_parameter', 'prompt'],
      ['seconds that the model has not', { ...body, seconds: '4' }, 'invalid_parameter', 'seconds'],
      ['seconds in words', { ...body, seconds: 'eight' }, 'invalid_parameter', 'seconds'],
      ['half a second', { ...body, seconds: 0.5 }, 'invalid_parameter', 'seconds'],
      ['no seconds', { ...body, seconds: '0' }, 'invalid_parameter', 'seconds'],
      ['a duration that the model has not', { ...body, duration: 7 }, 'invalid_parameter', 'duration'],
      ['a text for a duration', { ...body, duration: '8' }, 'invalid_parameter', 'duration'],
      ['a size that the model has not', { ...body, size: '1024x1792' }, 'invalid_parameter', 'size'],
      ['a ratio that the model has not', { ...body, aspect_ratio: '4:3' }, 'invalid_parameter', 'aspect_ratio'],
      ['a resolution that no size has', { ...body, resolution: '1080p' }, 'invalid_parameter', 'resolution'],
      ['a seed below 0', { ...body, seed: -1 }, 'invalid_parameter', 'seed'],
      ['a file id', { ...body, input_reference: { file_id: 'f' } }, 'missing_parameter', 'input_reference.image_url'],
      [
        'a frame that is neither',
        { ...body, frame_images: [frame('middle')] },
        'invalid_parameter',
        'frame_images[0].frame_type',
      ],
      [
        'two last frames',
        { ...body, frame_images: [frame('last_frame'), frame('last_frame')] },
        'invalid_parameter',
        'frame_images',
      ],
      [
        'a first frame twice',
        { ...body, frame_images: [frame('first_frame')], input_reference: { image_url: address } },
        ...(['invalid_parameter', 'frame_images'] as const),
      ],
      [
        '15 references',
        { ...body, input_references: Array(15).fill(image(address)) },
        'invalid_parameter',
        'input_references',
      ],
      ['a callback that is no address', { ...body, callback_url: 'here' }, 'invalid_parameter', 'callback_url'],
    ],
    parse,
  );
  accepts<VideoRequest>(
    [
      ['no more than it needs', body, { durationSeconds: 5, ratio: '16:9', generateAudio: true, form: 'videos' }],
      ['seconds as a text', { ...body, seconds: '8' }, { durationSeconds: 8 }],
      ['seconds as a number', { ...body, seconds: 8, duration: 5 }, { durationSeconds: 8 }],
      ['a duration', { ...body, duration: 11, seconds: null }, { durationSeconds: 11 }],
      [
        'a size, which has its ratio',
        { ...body, size: '720x1280', aspect_ratio: '16:9' },
        { size: { width: 720, height: 1280 }, ratio: '9:16' },
      ],
      [
        'a resolution at a ratio',
        { ...body, resolution: '720P', aspect_ratio: '1:1' },
        { size: { width: 720, height: 720 }, ratio: '1:1' },
      ],
      ['a callback', { ...body, callback_url: address }, { webhookUrl: address }],
      [
        'both names of a webhook',
        { ...body, callback_url: address, webhook_url: `${address}?2` },
        { webhookUrl: `${address}?2` },
      ],
    ],
    parse,
  );

  test('only models of videos are served', () => {
    assert.throws(() => parseVideosBody(body, false, modelOf('avatar-video')), { param: 'model' });
  });

  test('a model with lists of its own has those, and begins with the first where the usual one is missing', () => {
    const limits = { durations: [4, 12], ratios: ['4:3'], sizes: ['1792x1024', '640x480'] };
    const listed = (more: object) => parseVideosBody({ ...body, ...more }, false, modelOf('video', { limits })).request;
    assert.deepEqual([listed({}).durationSeconds, listed({}).ratio, listed({}).size], [4, '4:3', undefined]);
    assert.equal(listed({ size: '1792x1024' }).ratio, '7:4');
    assert.deepEqual(listed({ resolution: '480p' }).size, { width: 640, height: 480 });
    assert.throws(() => listed({ seconds: '5' }), /must be 4 or 12 seconds/);
  });

  test('images keep the names under which they came, and what the body holds is handed back', () => {
    const given = {
      ...body,
      frame_images: [frame('last_frame', dataUri)],
      input_references: [image(address), image(dataUri)],
    };
    const { request, inline } = parseVideosBody(given, true, model);
    assert.deepEqual(
      request.content.map((item, index) => [item.type === 'text' ? item.text : item.url, itemParam(request, index)]),
      [
        ['A gate opens', 'prompt'],
        ['upload:image0', 'input_reference'],
        ['upload:image1', 'frame_images[0].image_url.url'],
        [address, 'input_references[0].image_url.url'],
        ['upload:image3', 'input_references[1].image_url.url'],
      ],
    );
    assert.deepEqual(
      inline.map(({ name, param }) => [name, param]),
      [
        ['image1', 'frame_images[0].image_url.url'],
        ['image3', 'input_references[1].image_url.url'],
      ],
    );
  });
});

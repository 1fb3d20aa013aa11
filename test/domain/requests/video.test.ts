/** Every rule of the video creation body, in its three forms: the refused value and the last allowed one. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseVideoRequest, type VideoRequest } from '../../../src/domain/requests/video-request.ts';
import { accepts, modelOf, refuses } from './cases.ts';

const video = modelOf('video');
const avatarVideo = modelOf('avatar-video');
const avatarImage = modelOf('avatar-image');
const url = (name: string) => `https://media.example/${name}`;
const longUrl = (length: number) => 'https://h.example/'.padEnd(length, 'a');
const text = { type: 'text', text: 'a cat' };
const image = { type: 'image_url', image_url: { url: url('a.png') } };
const videoItem = { type: 'video_url', video_url: { url: url('a.mp4') } };
const audioItem = { type: 'audio_url', audio_url: { url: url('a.mp3') } };
const of = (...content: unknown[]) => ({ model: 'some-video', content });
const prompted = (fields: object) => ({ model: 'some-video', prompt: 'a cat', ...fields });
const texts = (count: number) => Array.from({ length: count }, () => text);

test('a prompt alone becomes a text item, with the documented defaults', () => {
  assert.deepEqual(parseVideoRequest({ model: 'some-video', prompt: 'a cat' }, video), {
    model: 'some-video',
    content: [text],
    form: 'prompt',
    generateAudio: true,
    ratio: '16:9',
    durationSeconds: 5,
    watermark: false,
  });
});

describe('a video body', () => {
  refuses(
    [
      ['a body that is a text', 'a cat', 'invalid_parameter', null],
      ['a body without a model', { prompt: 'a cat' }, 'missing_parameter', 'model'],
      ['neither content nor prompt', { model: 'm' }, 'missing_parameter', 'content'],
      ['empty content', of(), 'invalid_parameter', 'content'],
      ['content that is a text', { model: 'm', content: 'a cat' }, 'invalid_parameter', 'content'],
      ['content of 21 items', of(...texts(21)), 'invalid_parameter', 'content'],
      ['an item that is a text', of('a cat'), 'invalid_parameter', 'content[0]'],
      ['an item of null', of(text, null), 'invalid_parameter', 'content[1]'],
      ['an item without a type', of({ text: 'a cat' }), 'missing_parameter', 'content[0].type'],
      ['an item of another type', of(text, { type: 'image' }), 'invalid_parameter', 'content[1].type'],
      ['a text item without text', of({ type: 'text' }), 'missing_parameter', 'content[0].text'],
      ['a text item with an empty text', of({ type: 'text', text: '' }), 'invalid_parameter', 'content[0].text'],
      ['a text item with a number', of({ type: 'text', text: 5 }), 'invalid_parameter', 'content[0].text'],
      ['an image item without its object', of({ type: 'image_url' }), 'missing_parameter', 'content[0].image_url'],
      [
        'an image item with a bare address',
        of({ type: 'image_url', image_url: url('a.png') }),
        'invalid_parameter',
        'content[0].image_url',
      ],
      [
        'an image item without an address',
        of(text, { type: 'image_url', image_url: {} }),
        'missing_parameter',
        'content[1].image_url.url',
      ],
      [
        'an image item with a data URI',
        of(text, { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }),
        'invalid_parameter',
        'content[1].image_url.url',
      ],
      [
        'an image address of 2,049 characters',
        of({ type: 'image_url', image_url: { url: longUrl(2049) } }),
        'invalid_parameter',
        'content[0].image_url.url',
      ],
      ['a video item without its object', of(text, { type: 'video_url' }), 'missing_parameter', 'content[1].video_url'],
      [
        'a video item with a file address',
        of(text, { type: 'video_url', video_url: { url: 'file:///etc/passwd' } }),
        'invalid_parameter',
        'content[1].video_url.url',
      ],
      [
        'an audio item without its object',
        of(text, { type: 'audio_url' }),
        'missing_parameter',
        'content[1].audio_url',
      ],
      [
        'an audio item with no address',
        of(text, { type: 'audio_url', audio_url: { url: '' } }),
        'invalid_parameter',
        'content[1].audio_url.url',
      ],
      ['a role outside the list', of(text, { ...image, role: 'first_frame' }), 'invalid_parameter', 'content[1].role'],
      ['neither text nor image', of(videoItem, audioItem), 'missing_parameter', 'content'],
      ['a prompt beside a text item', prompted({ content: [image, text] }), 'invalid_parameter', 'prompt'],
      ['an empty prompt', prompted({ prompt: '' }), 'invalid_parameter', 'prompt'],
      ['a prompt that is a number', prompted({ prompt: 1 }), 'invalid_parameter', 'prompt'],
      ['a prompt of 32,001 characters', prompted({ prompt: 'a'.repeat(32_001) }), 'invalid_parameter', 'prompt'],
      [
        'two texts of 32,001 characters together',
        of({ type: 'text', text: 'a'.repeat(32_000) }, { type: 'text', text: 'b' }),
        'invalid_parameter',
        'content[1].text',
      ],
      ['a text for generate_audio', prompted({ generate_audio: 'yes' }), 'invalid_parameter', 'generate_audio'],
      ['a number for watermark', prompted({ watermark: 1 }), 'invalid_parameter', 'watermark'],
      ['a ratio of images only', prompted({ ratio: '4:3' }), 'invalid_parameter', 'ratio'],
      ['a negative modelVersion', prompted({ modelVersion: -1 }), 'invalid_parameter', 'modelVersion'],
      ['a fraction for modelVersion', prompted({ modelVersion: 1.5 }), 'invalid_parameter', 'modelVersion'],
      ['a text for modelVersion', prompted({ modelVersion: '2' }), 'invalid_parameter', 'modelVersion'],
      [
        'a webhook that is no address',
        prompted({ webhook_url: 'mailto:a@b.example' }),
        'invalid_parameter',
        'webhook_url',
      ],
      ['a webhook of 2,049 characters', prompted({ webhook_url: longUrl(2049) }), 'invalid_parameter', 'webhook_url'],
      ['audioUrl for a plain video', prompted({ audioUrl: url('a.mp3') }), 'invalid_parameter', 'audioUrl'],
      ['videoUrl for a plain video', prompted({ videoUrl: url('a.mp4') }), 'invalid_parameter', 'videoUrl'],
    ],
    (body) => parseVideoRequest(body, video),
  );

  for (const duration of [0, 4, 6, 7, 9, 12, 5.5, -5, '5', true]) {
    refuses(
      [[`a duration of ${JSON.stringify(duration)}`, prompted({ duration }), 'invalid_parameter', 'duration']],
      (body) => parseVideoRequest(body, video),
    );
  }
  for (const duration of [5, 8, 10, 11]) {
    accepts<VideoRequest>(
      [[`a duration of ${duration}`, prompted({ duration }), { durationSeconds: duration }]],
      (body) => parseVideoRequest(body, video),
    );
  }

  accepts<VideoRequest>(
    [
      ['content of 20 items', of(...texts(20)), { content: texts(20) as VideoRequest['content'] }],
      ['an image alone', of(image), { content: [{ type: 'image_url', url: url('a.png') }] }],
      [
        'a prompt in front of other items',
        prompted({ content: [image] }),
        {
          content: [
            { type: 'text', text: 'a cat' },
            { type: 'image_url', url: url('a.png') },
          ],
        },
      ],
      ['a prompt with empty content', prompted({ content: [] }), { content: [{ type: 'text', text: 'a cat' }] }],
      [
        'every type with a role',
        of(
          { ...text, role: null },
          { ...image, role: 'reference_image' },
          { ...videoItem, role: 'reference_video' },
          { ...audioItem, role: 'reference_audio' },
        ),
        {
          content: [
            { type: 'text', text: 'a cat' },
            { type: 'image_url', url: url('a.png'), role: 'reference_image' },
            { type: 'video_url', url: url('a.mp4'), role: 'reference_video' },
            { type: 'audio_url', url: url('a.mp3'), role: 'reference_audio' },
          ],
        },
      ],
      [
        'an address of 2,048 characters',
        of({ type: 'image_url', image_url: { url: longUrl(2048) } }),
        { content: [{ type: 'image_url', url: longUrl(2048) }] },
      ],
      ['a prompt of 32,000 characters', prompted({ prompt: 'a'.repeat(32_000) }), { durationSeconds: 5 }],
      ['generate_audio false', prompted({ generate_audio: false }), { generateAudio: false }],
      ['watermark true', prompted({ watermark: true }), { watermark: true }],
      ['9:16', prompted({ ratio: '9:16' }), { ratio: '9:16' }],
      ['1:1', prompted({ ratio: '1:1' }), { ratio: '1:1' }],
      ['modelVersion 0', prompted({ modelVersion: 0 }), { modelVersion: 0 }],
      ['a webhook of 2,048 characters', prompted({ webhook_url: longUrl(2048) }), { webhookUrl: longUrl(2048) }],
      [
        'null for what is optional',
        {
          model: 'm',
          content: [text],
          prompt: null,
          audioUrl: null,
          videoUrl: null,
          modelVersion: null,
          generate_audio: null,
          ratio: null,
          duration: null,
          watermark: null,
          webhook_url: null,
        },
        { generateAudio: true, ratio: '16:9', durationSeconds: 5, watermark: false },
      ],
      ['fields that it does not know', prompted({ seed: 'x', fps: 24 }), { durationSeconds: 5 }],
    ],
    (body) => parseVideoRequest(body, video),
  );
});

describe('a model with durations of its own', () => {
  const long = modelOf('video', { limits: { durations: [8, 10], promptCharacters: 4 } });
  refuses(
    [
      ['a duration it lacks', { model: 'm', prompt: 'cat', duration: 5 }, 'invalid_parameter', 'duration'],
      ['a prompt that is too long', { model: 'm', prompt: 'a cat' }, 'invalid_parameter', 'prompt'],
      ['a text item that is too long', of({ type: 'text', text: 'a cat' }), 'invalid_parameter', 'content[0].text'],
    ],
    (body) => parseVideoRequest(body, long),
  );
  accepts<VideoRequest>(
    [
      ['a duration it has', { model: 'm', prompt: 'cats', duration: 10 }, { durationSeconds: 10 }],
      ['no duration, and gives its first', { model: 'm', prompt: '🐈🐈🐈🐈' }, { durationSeconds: 8 }],
    ],
    (body) => parseVideoRequest(body, long),
  );
});

describe('the flat body of an avatar video model', () => {
  const flat = (fields: object) => ({ model: 'm', audioUrl: url('a.mp3'), videoUrl: url('a.mp4'), ...fields });
  refuses(
    [
      ['no videoUrl', { model: 'm', audioUrl: url('a.mp3') }, 'missing_parameter', 'videoUrl'],
      ['no audioUrl', { model: 'm', videoUrl: url('a.mp4') }, 'missing_parameter', 'audioUrl'],
      ['neither of them', { model: 'm', modelVersion: 2 }, 'missing_parameter', 'content'],
      ['an audioUrl that is no address', flat({ audioUrl: 'a.mp3' }), 'invalid_parameter', 'audioUrl'],
      ['a videoUrl that is an object', flat({ videoUrl: { url: url('a.mp4') } }), 'invalid_parameter', 'videoUrl'],
      ['a videoUrl of 2,049 characters', flat({ videoUrl: longUrl(2049) }), 'invalid_parameter', 'videoUrl'],
      ['content as well', flat({ content: [videoItem, audioItem] }), 'invalid_parameter', 'content'],
    ],
    (body) => parseVideoRequest(body, avatarVideo),
  );
  const content = [
    { type: 'video_url', url: url('a.mp4'), role: 'reference_video' },
    { type: 'audio_url', url: url('a.mp3'), role: 'reference_audio' },
  ] as const;
  accepts<VideoRequest>(
    [
      ['both addresses and a modelVersion', flat({ modelVersion: 3 }), { content, modelVersion: 3 }],
      ['a prompt as well', flat({ prompt: 'smile' }), { content: [{ type: 'text', text: 'smile' }, ...content] }],
    ],
    (body) => parseVideoRequest(body, avatarVideo),
  );
});

describe('the content of an avatar video model', () => {
  refuses(
    [
      ['no audio', of(videoItem), 'missing_parameter', 'content'],
      ['no video', of(text, audioItem), 'missing_parameter', 'content'],
      ['a prompt only', prompted({}), 'missing_parameter', 'content'],
      ['two videos', of(videoItem, audioItem, videoItem), 'invalid_parameter', 'content[2]'],
      ['two audio items', of(videoItem, audioItem, audioItem), 'invalid_parameter', 'content[2]'],
      ['an image', of(videoItem, audioItem, image), 'invalid_parameter', 'content[2]'],
    ],
    (body) => parseVideoRequest(body, avatarVideo),
  );
  accepts<VideoRequest>(
    [
      [
        'one video and one audio item',
        of(videoItem, audioItem),
        {
          content: [
            { type: 'video_url', url: url('a.mp4') },
            { type: 'audio_url', url: url('a.mp3') },
          ],
        },
      ],
      ['a text besides', of(text, audioItem, videoItem), { durationSeconds: 5 }],
    ],
    (body) => parseVideoRequest(body, avatarVideo),
  );
});

describe('the content of an avatar image model', () => {
  const still = { ...image, role: 'reference_video' };
  const voice = { ...audioItem, role: 'reference_audio' };
  refuses(
    [
      ['no audio', of(text, still), 'missing_parameter', 'content'],
      ['no image', of(text, voice), 'missing_parameter', 'content'],
      ['two images', of(still, voice, image), 'invalid_parameter', 'content[2]'],
      ['a video', of(videoItem, voice), 'invalid_parameter', 'content[0]'],
      [
        'the flat body',
        { model: 'm', audioUrl: url('a.mp3'), videoUrl: url('a.mp4') },
        'invalid_parameter',
        'audioUrl',
      ],
    ],
    (body) => parseVideoRequest(body, avatarImage),
  );
  accepts<VideoRequest>(
    [
      [
        'text, image as reference_video and audio',
        of(text, still, voice),
        {
          content: [
            { type: 'text', text: 'a cat' },
            { type: 'image_url', url: url('a.png'), role: 'reference_video' },
            { type: 'audio_url', url: url('a.mp3'), role: 'reference_audio' },
          ],
        },
      ],
      ['no text', of(still, voice), { durationSeconds: 5 }],
    ],
    (body) => parseVideoRequest(body, avatarImage),
  );
});

describe('the video endpoint', () => {
  for (const kind of ['chat', 'code', 'image', 'avatar-talk'] as const) {
    refuses([[`a model of kind ${kind}`, of(text), 'invalid_parameter', 'model']], (body) =>
      parseVideoRequest(body, modelOf(kind)),
    );
  }
});

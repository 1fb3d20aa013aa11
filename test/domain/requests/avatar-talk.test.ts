/** Every rule of the avatar-talk form's text fields: the refused value and the last allowed one. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseAvatarTalkFields } from '../../../src/domain/requests/avatar-talk.ts';
import { modelOf } from './cases.ts';

const model = modelOf('avatar-talk');
const longUrl = (length: number) => 'https://h.example/'.padEnd(length, 'a');

describe('the fields of an avatar-talk form', () => {
  test('may all be absent', () => {
    assert.deepEqual(parseAvatarTalkFields({}, model), { model: 'some-avatar-talk', templateName: '不使用分身' });
  });

  test('are read as they are, and others are ignored', () => {
    const fields = { template_name: ' 模板 7 ', webhook_url: longUrl(2048), model: 'some-avatar-talk', colour: 'red' };
    assert.deepEqual(parseAvatarTalkFields(fields, model), {
      model: 'some-avatar-talk',
      templateName: ' 模板 7 ',
      webhookUrl: longUrl(2048),
    });
  });

  test('may name a template in 200 characters', () => {
    const name = '🐈'.repeat(200);
    assert.equal(parseAvatarTalkFields({ template_name: name }, model).templateName, name);
  });

  for (const [what, fields, param] of [
    ['an empty template name', { template_name: '' }, 'template_name'],
    ['a template name of 201 characters', { template_name: '模'.repeat(201) }, 'template_name'],
    ['an empty webhook address', { webhook_url: '' }, 'webhook_url'],
    ['a webhook address that is none', { webhook_url: 'example.com' }, 'webhook_url'],
    ['a webhook address of 2,049 characters', { webhook_url: longUrl(2049) }, 'webhook_url'],
  ] as const) {
    test(`may not have ${what}`, () => {
      assert.throws(() => parseAvatarTalkFields(fields, model), { code: 'invalid_parameter', param });
    });
  }

  for (const kind of ['chat', 'code', 'image', 'video', 'avatar-video', 'avatar-image'] as const) {
    test(`may not be for a model of kind ${kind}`, () => {
      assert.throws(() => parseAvatarTalkFields({}, modelOf(kind)), { code: 'invalid_parameter', param: 'model' });
    });
  }
});

/** Recorded chat requests in the playground: what it would send is what the program had sent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chatRequest } from '../../../console/src/pages/playground/chat/chat-request.ts';
import { openRequest } from '../../../console/src/pages/playground/chat/request-draft.ts';

const tool = { type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } };
const call = { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } };
const schema = { name: 'answer', schema: { type: 'object' } };
const hello = { role: 'user', content: 'Hello' };
const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };

const bodies: Readonly<Record<string, Record<string, unknown>>> = {
  plain: { model: 'm', messages: [hello] },
  'with every field of the form': {
    ...{ model: 'm', messages: [{ role: 'system', content: 'Be brief.' }, hello], user: 'reader-1' },
    ...{ temperature: 0.5, top_p: 0.9, max_tokens: 50, seed: 7, presence_penalty: 0.1, frequency_penalty: -0.2 },
    ...{ stop: ['END', 'STOP'], reasoning_effort: 'high', tools: [tool] },
    ...{ response_format: { type: 'json_schema', json_schema: schema } },
    tool_choice: { type: 'function', function: { name: 'get_weather' } },
  },
  'with what no field has': {
    ...{ model: 'm', messages: [hello], stop: 'END', logit_bias: { 50256: -100 }, stream_options: {} },
    ...{
      max_completion_tokens: 9,
      reasoning_effort: 'utmost',
      user: ' padded ',
      temperature: null,
      tool_choice: 'auto',
    },
    ...{ response_format: { type: 'grammar', grammar: 'root' }, tools: 'none' },
  },
  'with stops that are not one a line': { model: 'm', messages: [hello], stop: ['\n', ' x '] },
  'with a choice of a tool that is not there': {
    ...{ model: 'm', messages: [hello], tools: [tool] },
    tool_choice: { type: 'function', function: { name: 'other' } },
  },
  'after calls of tools': {
    model: 'm',
    messages: [
      hello,
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: '7 degrees' },
      { role: 'assistant', content: 'Seven degrees.' },
      { role: 'user', content: [{ type: 'text', text: 'And here?' }, image] },
    ],
    tools: [tool],
  },
  'with messages that no turn can say': {
    model: 'm',
    messages: [
      { role: 'system', content: 'One.', name: 'first' },
      { role: 'developer', content: 'Two.' },
      {
        role: 'user',
        content: [image, { type: 'text', text: 'Before' }, { type: 'text', text: 'after' }],
        name: 'ada',
      },
      { role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }] },
      { role: 'assistant', content: '', refusal: 'No.' },
      { role: 'function', name: 'old', content: '1' },
      { role: 'system', content: 'Last.' },
    ],
  },
};

for (const [name, body] of Object.entries(bodies)) {
  test(`a request ${name} is sent again as it was`, () => {
    const opened = openRequest(JSON.stringify(body), 'trial');
    assert.ok(opened);
    const { body: sent, headers } = chatRequest(opened.draft, { id: 'm' }, opened.turns);
    assert.deepEqual(sent, { ...body, stream: true });
    assert.deepEqual(headers, { 'X-Tollgate-Tag': 'trial' });
    assert.deepEqual(opened.notes, ['nowStreamed']);
  });
}

test('what the form has a field for stands there, in whatever order it came', () => {
  const { tool_choice: choice, ...body } = bodies['with every field of the form'] ?? {};
  const opened = openRequest(JSON.stringify({ tool_choice: choice, ...body }), null);
  assert.deepEqual([opened?.draft.extra, opened?.draft.toolChoice], ['', 'function:get_weather']);
});

test('what is not as it was is named: redacted fields, shortened media, more than one answer', () => {
  const content = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA…[900 characters]' } }];
  const body = { model: 'm', messages: [{ role: 'user', content }], user: '[redacted]', n: 2, stream: true };
  assert.deepEqual(openRequest(JSON.stringify(body), null)?.notes, ['redacted', 'mediaCut', 'oneAnswer']);
});

test('what is no chat request, or was cut, is not opened', () => {
  const whole = JSON.stringify(bodies['plain']);
  for (const text of [whole.slice(0, -2), '[]', '{"model":"m"}', '{"model":"m","messages":[]}', 'null'])
    assert.equal(openRequest(text, null), undefined, text);
});

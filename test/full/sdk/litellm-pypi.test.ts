/** LiteLLM's SDK against both roots, over chat completions, messages and responses: a Python script prints the results. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod';
import type { TestGateway } from '../../support/gateway.ts';
import { pythonWith } from '../../support/python.ts';
import { aider } from '../agents/aider.ts';
import { type RefusedKeys, startSdkGateway } from './support.ts';

const run = promisify(execFile);
const script = fileURLToPath(new URL('litellm_client.py', import.meta.url));
const line = z.looseObject({ name: z.string() });

let gateway: TestGateway;
let refused: RefusedKeys;
let python: string;
before(async () => {
  // aider brings it (1.81.10), and is there for its own test: alone it would be another 380 MB.
  python = join(await pythonWith(aider.package), 'python');
  ({ gateway, refused } = await startSdkGateway());
});
after(() => gateway.stop());

for (const base of ['', '/ai']) {
  test(`${base}/v1: LiteLLM speaks each of the three forms, and raises its own errors`, async () => {
    const { stdout } = await run(python, [script], {
      timeout: 240_000,
      env: {
        ...process.env,
        LITELLM_LOCAL_MODEL_COST_MAP: 'True',
        SDK_BASE_URL: `${gateway.url}${base}`,
        SDK_KEY: gateway.key,
        SDK_POOR_KEY: refused.poor,
        SDK_SPENT_KEY: refused.spent,
      },
    });
    const lines = stdout.split('\n').filter((text) => text.startsWith('{'));
    const reported = new Map(
      lines.map((text) => line.parse(JSON.parse(text))).map(({ name, ...facts }) => [name, facts]),
    );
    for (const form of ['chat', 'messages']) {
      const text = reported.get(`${form}: text`);
      assert.match(String(text?.['content']), /You wrote: "Hello"/);
      assert.deepEqual(reported.get(`${form}: stream`), text);
      const { called, content } = reported.get(`${form}: tool`) ?? {};
      assert.equal(called, 'get_weather');
      assert.match(String(content), /The tool answered: "sunny"/);
      const errors = ['wrong key', 'poor', 'spent', 'no model'].map((name) => {
        const { kind, status, message } = reported.get(`${form}: ${name}`) ?? {};
        return [name, kind, status, words.find((each) => String(message).includes(each))];
      });
      assert.deepEqual(errors, [
        ['wrong key', 'AuthenticationError', 401, undefined],
        ['poor', form === 'chat' ? 'APIError' : 'APIConnectionError', form === 'chat' ? 402 : 500, words[0]],
        ['spent', 'RateLimitError', 429, words[1]],
        ['no model', 'NotFoundError', 404, words[2]],
      ]);
    }
    assert.match(String(reported.get('responses: text')?.['content']), /You wrote: "Hello"/);
  });
}

/** What the gateway says, which the errors repeat. */
const words = ['Add credit to continue', 'This key is limited to', "Model 'none' not found"];

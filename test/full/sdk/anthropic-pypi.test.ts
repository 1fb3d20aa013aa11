/** The `anthropic` package of PyPI against both roots: a Python script tries it, and prints the results. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod';
import type { TestGateway } from '../../support/gateway.ts';
import { pythonWith } from '../../support/python.ts';
import { type RefusedKeys, startSdkGateway } from './support.ts';

const run = promisify(execFile);
const script = fileURLToPath(new URL('anthropic_client.py', import.meta.url));
const line = z.looseObject({ name: z.string() });

let gateway: TestGateway;
let refused: RefusedKeys;
let python: string;
before(async () => {
  python = join(await pythonWith('anthropic==2.13.0'), 'python');
  ({ gateway, refused } = await startSdkGateway());
});
after(() => gateway.stop());

for (const base of ['', '/ai']) {
  test(`${base}/v1: the Python SDK works unchanged, with its own typed errors`, async () => {
    const { stdout } = await run(python, [script], {
      timeout: 60_000,
      env: {
        ...process.env,
        SDK_BASE_URL: `${gateway.url}${base}`,
        SDK_KEY: gateway.key,
        SDK_POOR_KEY: refused.poor,
        SDK_LIMITED_KEY: refused.limited,
      },
    });
    const lines = stdout.trim().split('\n');
    const reported = new Map(
      lines.map((text) => line.parse(JSON.parse(text))).map(({ name, ...facts }) => [name, facts]),
    );
    assert.match(String(reported.get('text')?.['content']), /You wrote: "Hello"/);
    assert.deepEqual(reported.get('stream'), reported.get('text'));
    assert.deepEqual(reported.get('count'), { same: true });
    assert.deepEqual(reported.get('models'), { ids: ['sim-chat', 'sim-code'] });
    const errorOf = (kind: string, status: number, type: string) => ({ kind, status, type });
    assert.deepEqual(reported.get('wrong key'), errorOf('AuthenticationError', 401, 'authentication_error'));
    assert.deepEqual(reported.get('poor'), errorOf('PaymentRequiredError', 402, 'billing_error'));
    assert.deepEqual(reported.get('limited'), errorOf('RateLimitError', 429, 'rate_limit_error'));
    assert.deepEqual(reported.get('no model'), errorOf('NotFoundError', 404, 'not_found_error'));
  });
}

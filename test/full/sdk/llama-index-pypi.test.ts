/** LlamaIndex's embeddings for OpenAI against both roots: a Python script tries them, and the ledger has what they cost. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod';
import { bearer, startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { pythonWith } from '../../support/python.ts';
import { roots } from './support.ts';

const run = promisify(execFile);
const script = fileURLToPath(new URL('llama_index_client.py', import.meta.url));
const line = z.looseObject({ name: z.string() });

let gateway: TestGateway;
let python: string;
before(async () => {
  python = join(await pythonWith('llama-index-embeddings-openai==0.7.0', 'openai==3.57.0'), 'python');
  gateway = await startTestGateway({ worker: false });
});
after(() => gateway.stop());

for (const root of roots) {
  test(`${root}: LlamaIndex gets vectors of documents and queries, each call charged by its tokens`, async () => {
    const { key } = await gateway.newKey({ balance: '1' });
    const { stdout } = await run(python, [script], {
      timeout: 240_000,
      env: { ...process.env, SDK_BASE_URL: `${gateway.url}${root}`, SDK_KEY: key },
    });
    const lines = stdout.split('\n').filter((text) => text.startsWith('{'));
    const reported = lines.map((text) => line.parse(JSON.parse(text)));
    assert.deepEqual(reported, [
      { name: 'texts', lengths: [64, 64], differ: true },
      { name: 'query', same: true },
      { name: 'async', same: true },
      { name: 'wrong key', error: 'AuthenticationError', status: 401 },
    ]);
    const { body } = await gateway.get('/v1/account/ledger?type=capture', bearer(key));
    const captures = body['data'] as { model: string; units: number }[];
    assert.deepEqual(
      captures.map(({ model, units }) => [model, units]),
      [2, 3, 5].map((tokens) => ['sim-embedding', tokens]),
    );
  });
}

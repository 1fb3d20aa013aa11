/** `/openapi.json` judged by others: a validator of OpenAPI, and schemathesis, which tries every operation by it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { builtInConfiguration } from '../../../src/config/built-in.ts';
import { bearer, startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { mp4, png, wav } from '../../support/media.ts';
import { pythonWith } from '../../support/python.ts';

const packages = ['schemathesis==4.32.5', 'hypothesis==6.170.15', 'openapi-spec-validator==0.9.0'];
/** Another one tries other values. */
const seed = process.env['OPENAPI_SEED'] ?? '7';
const run = promisify(execFile);

/** Where all addresses in requests lead to. */
const receiver = createServer((_, response) => response.writeHead(204).end());
let programs: string;
let folder: string;
let gateway: TestGateway;
before(async () => {
  programs = await pythonWith(...packages);
  folder = await mkdtemp(join(tmpdir(), 'tollgate-openapi-'));
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  // Creations answer at once: it is the form of answers that is tried, and waiting would take all the time.
  const configuration = builtInConfiguration.replaceAll(/wait_seconds: \d+/g, 'wait_seconds: 0');
  gateway = await startTestGateway({ configuration });
});
after(async () => {
  receiver.close();
  await gateway.stop();
  await rm(folder, { recursive: true, force: true });
});

test('a validator of OpenAPI finds nothing wrong with the document', async () => {
  const file = join(folder, 'openapi.json');
  await writeFile(file, Buffer.from(await (await gateway.fetch('/openapi.json', { key: null })).arrayBuffer()));
  const { stdout } = await run(join(programs, 'openapi-spec-validator'), [file]);
  assert.match(stdout, /: OK\s*$/);
});

test('schemathesis finds no answer on either root that the document does not describe, and no 5xx', async () => {
  const { key, keyId } = await gateway.newKey({ balance: '1000000', level: 'admin' });
  const [audio, video, image] = [join(folder, 'audio.wav'), join(folder, 'video.mp4'), join(folder, 'image.png')];
  await writeFile(audio, wav({ seconds: 0.5, samplesPerSecond: 8_000 }));
  await writeFile(video, await mp4({ seconds: 1 }));
  await writeFile(image, await png({ width: 32, height: 32 }));
  const env = {
    ...process.env,
    PYTHONPATH: import.meta.dirname,
    SCHEMATHESIS_HOOKS: 'hooks',
    OPENAPI_AUDIO: audio,
    OPENAPI_VIDEO: video,
    OPENAPI_IMAGE: image,
    OPENAPI_KEY_ID: keyId,
    OPENAPI_ADDRESS: addressOf(receiver),
  };
  const { failed, report } = await schemathesis(
    ['run', `${gateway.url}/openapi.json`, '--header', `Authorization: Bearer ${key}`, '--max-examples', '10'],
    env,
  );
  assert.ok(!failed, report);
  assert.deepEqual(await usedModels(key), [
    ...['sim-avatar-talk', 'sim-chat', 'sim-code', 'sim-embedding', 'sim-image', 'sim-moderation', 'sim-rerank'],
    ...['sim-speech', 'sim-transcription', 'sim-video-fast'],
  ]);
});

async function schemathesis(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ failed: boolean; report: string }> {
  const settings = ['--config-file', join(import.meta.dirname, 'schemathesis.toml')];
  const all = [...settings, ...args, '--seed', seed, '--continue-on-failure'];
  const options = { cwd: folder, env, maxBuffer: 256 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile(join(programs, 'schemathesis'), all, options, (error, stdout, stderr) =>
      resolve({ failed: error !== null, report: readable(`${stdout}${stderr}`) }),
    );
  });
}

/** What was tried was not all refused: these models were paid for. */
async function usedModels(key: string): Promise<string[]> {
  const { body } = await gateway.get('/v1/account/usage?group_by=model', bearer(key));
  return (body['data'] as { model: string }[]).map(({ model }) => model);
}

/** Requests with media in them are printed at length. */
const readable = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replace(/[^\x20-\x7e]/g, '?').slice(0, 300))
    .join('\n')
    .slice(-30_000);

function addressOf(server: ReturnType<typeof createServer>): string {
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return `http://127.0.0.1:${address.port}/`;
}

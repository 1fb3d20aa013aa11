/**
 * Open WebUI's voice and image edit: itself it brings gigabytes, so a script sends what its source sends, with the HTTP clients
 * of its own (`routers/audio.py` and `routers/images.py`).
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod';
import { webm } from '../../support/containers.ts';
import { bearer, startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { png, wav } from '../../support/media.ts';
import { pythonWith } from '../../support/python.ts';

const run = promisify(execFile);
const script = fileURLToPath(new URL('open_webui_requests.py', import.meta.url));
const line = z.looseObject({ name: z.string() });

let gateway: TestGateway;
let folder: string;
let python: string;
before(async () => {
  python = join(await pythonWith('aiohttp==3.14.5', 'requests==2.34.2'), 'python');
  gateway = await startTestGateway();
  folder = await mkdtemp(join(tmpdir(), 'tollgate-open-webui-'));
});
after(async () => {
  await gateway.stop();
  await rm(folder, { recursive: true, force: true });
});

test('Open WebUI’s requests for speech, transcripts of a recording and image edits work, and each is charged', async () => {
  const { key } = await gateway.newKey({ balance: '10' });
  // On its deployment's root an edit is waited for.
  const base = `${gateway.url}/v1`;
  const recordings = [join(folder, 'recording.webm'), join(folder, 'recording.wav')] as const;
  await writeFile(recordings[0], webm({ packets: 110 }));
  await writeFile(recordings[1], wav({ seconds: 1.5 }));
  await writeFile(join(folder, 'image.png'), await png({ width: 64, height: 48 }));
  const { stdout } = await run(python, [script], {
    timeout: 120_000,
    env: {
      ...process.env,
      SDK_BASE_URL: base,
      SDK_KEY: key,
      SDK_IMAGE: join(folder, 'image.png'),
      SDK_AUDIO: recordings.join(':'),
    },
  });
  const reported = stdout
    .trim()
    .split('\n')
    .map((text) => line.parse(JSON.parse(text)));
  assert.deepEqual(
    reported.map(({ name, status }) => [name, status]),
    [
      ...['speech', 'edit of 1', 'edit of 2', 'recording.webm', 'recording.webm', 'recording.wav', 'recording.wav'].map(
        (name) => [name, 200],
      ),
    ],
  );
  const [speech, one, two, ...heard] = reported;
  assert.deepEqual([speech?.['type'], speech?.['bytes']], ['audio/mpeg', 17 * 288]);
  // A PNG in base64.
  for (const edit of [one, two]) assert.deepEqual(edit?.['made'], ['iVBORw0K']);
  assert.deepEqual(
    heard.map(({ text }) => String(text).split(' ').length),
    [6, 6, 4, 4],
  );
  const { body } = await gateway.get('/v1/account/ledger?type=capture', bearer(key));
  const captures = body['data'] as { model: string; units: number; charged: number }[];
  assert.deepEqual(
    captures.map(({ model, units, charged }) => [model, units, charged]),
    [
      ['sim-transcription', 2, 0.002],
      ['sim-transcription', 2, 0.002],
      ['sim-transcription', 3, 0.003],
      ['sim-transcription', 3, 0.003],
      ['sim-image', 1, 0.2],
      ['sim-image', 1, 0.2],
      ['sim-speech', 17, 0.0017],
    ],
  );
});

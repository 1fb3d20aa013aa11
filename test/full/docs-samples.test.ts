/** The samples of `/docs` run as they are: those of every operation, and those of its guides, in each language. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type ApiDocument, type Operation, readDocument } from '../../console/src/docs/document.ts';
import { guideCode, sampleLanguageOf } from '../../console/src/docs/guides/guide-code.ts';
import { type Guide, guidesOf } from '../../console/src/docs/guides/guides.ts';
import { languages, languagesOf, type SampleLanguage, sampleOf } from '../../console/src/docs/samples.ts';
import { builtInConfiguration } from '../../src/config/built-in.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { mp4, png, wav } from '../support/media.ts';
import { type PythonPrograms, startPythonPrograms } from '../support/python-programs.ts';

const run = promisify(execFile);

const fileNames: Readonly<Record<SampleLanguage, string>> = {
  ...{ curl: 'sample.sh', python: 'sample.py', node: 'sample.mjs', go: 'sample.go', java: 'Sample.java' },
};

/** Returns the first of each method and type of body. */
function oneOfEachShape(operations: readonly Operation[]): Operation[] {
  const seen = new Set<string>();
  return operations.filter(({ method, bodies: [body] }) => {
    const shape = `${method} ${body?.type ?? ''}`;
    return !seen.has(shape) && seen.add(shape);
  });
}

/** Compiled for seconds each, so of them there is one sample for each method and type of body. */
const compiled: ReadonlySet<SampleLanguage> = new Set(['go', 'java']);

const batchLine = `${JSON.stringify({
  ...{ custom_id: '1', method: 'POST', url: '/v1/chat/completions' },
  body: { model: 'sim-chat', messages: [{ role: 'user', content: 'Hello' }] },
})}\n`;

let gateway: TestGateway;
let api: ApiDocument;
let operations: Operation[];
let guides: Guide[];
let python: PythonPrograms;
before(async () => {
  gateway = await startTestGateway({ env: { TOLLGATE_ALLOW_PRIVATE_URLS: 'true' } });
  const [apiGuide, errors] = await Promise.all(
    ['api-guide', 'errors'].map((name) => readFile(`docs/${name}.md`, 'utf8')),
  );
  guides = guidesOf({ apiGuide: apiGuide!, errors: errors! }, 'en');
  api = readDocument((await gateway.get('/openapi.json')).body);
  operations = api.groups.flatMap((group) => group.operations);
  python = await startPythonPrograms(['openai==3.54.0'], ['openai.resources']);
});
after(async () => {
  await python.stop();
  await gateway.stop();
});

describe('each sample works as it is', () => {
  let folder: string;
  /** Its tasks stay where they are, so that they can be cancelled. */
  let still: TestGateway;
  let ids: readonly (readonly [example: string, real: () => Promise<string>])[];
  before(async () => {
    const configuration = builtInConfiguration.replaceAll(/wait_seconds: \d+/g, 'wait_seconds: 0');
    still = await startTestGateway({ configuration, worker: false });
    folder = await mkdtemp(join(tmpdir(), 'tollgate-samples-'));
    await writeFile(join(folder, 'speech.wav'), wav({ seconds: 0.5, samplesPerSecond: 8_000 }));
    await writeFile(join(folder, 'footage.mp4'), await mp4({ seconds: 1 }));
    await writeFile(join(folder, 'gate.png'), await png({ width: 64, height: 64 }));
    await writeFile(join(folder, 'lines.jsonl'), batchLine);
    await symlink(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'));
    ids = realIds();
  });
  after(async () => {
    await still.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** What can't be called by its example alone, and why. */
  const exempt: Readonly<Record<string, string>> = {
    getFile: 'the link is signed',
    callHook: 'the address is signed',
    cancelResponse: 'the simulator makes no response in the background',
    getOpenAiVideoContent: 'the video is not made yet',
    deleteOpenAiVideo: 'only a video that has ended is deleted',
    getRequestBody: 'none is recorded until an owner of the account switches that on',
  };
  /** Of one root: those of the others differ in the address alone. */
  const called = () =>
    operations.filter(({ id, isWebhook, root }) => !isWebhook && root !== '/ai/v1' && exempt[id] === undefined);

  for (const language of languages) {
    test(language, async () => {
      let count = 0;
      const all = called().filter((one) => languagesOf(one).includes(language));
      const run = compiled.has(language) ? oneOfEachShape(all) : all;
      for (const operation of run) {
        const [body] = operation.bodies;
        for (const example of body?.examples ?? [undefined]) {
          await runSample(
            language,
            await made(sampleOf(language, still.url, operation, body && { body, example })),
            still,
          );
          count += 1;
        }
      }
      assert.ok(count >= (compiled.has(language) ? 6 : 33), String(count));
    });

    test(`${language}, of a file`, async () => {
      const operation = operations.find(({ id }) => id === 'getAvatarTalk')!;
      const id = await ended(await talk(gateway));
      const sample = sampleOf(language, gateway.url, operation).replaceAll(exampleOf('getAvatarTalk'), id);
      await runSample(language, sample, gateway);
      assert.equal((await readFile(join(folder, 'video.mp4'))).toString('latin1', 4, 8), 'ftyp');
      await rm(join(folder, 'video.mp4'));
    });
  }

  for (const language of ['curl', 'python', 'node'] satisfies SampleLanguage[]) {
    test(`${language}, of the guides`, async () => {
      const codes = guides.flatMap(({ parts }) =>
        parts.flatMap(({ blocks }) =>
          blocks.flatMap((block) =>
            block.kind === 'code' && sampleLanguageOf(block.language) === language ? block : [],
          ),
        ),
      );
      assert.ok(codes.length >= 8, `${codes.length} samples`);
      for (const { code } of codes) {
        const sample = guideCode(api, { language, code, root: '/v1', key: '' });
        assert.doesNotMatch(sample, /\$URL|\$auth|\$json|\bmember\b|env\.URL|"URL"/);
        await runSample(language, sample, gateway);
      }
    });
  }

  /** Ids of the examples become those of things that there are. */
  async function made(sample: string): Promise<string> {
    let text = sample;
    for (const [example, real] of ids) if (text.includes(example)) text = text.replaceAll(example, await real());
    return text;
  }

  async function runSample(language: SampleLanguage, sample: string, { key }: TestGateway): Promise<void> {
    const file = join(folder, fileNames[language]);
    await writeFile(file, language === 'curl' ? sample.replace(/^curl/, 'curl -sS --fail-with-body') : sample);
    const env = { ...process.env, TOLLGATE_API_KEY: key };
    if (language === 'python') {
      const { code, output } = await python.run(file, { folder, env });
      assert.equal(code, 0, `${sample}\n${output}`);
      return;
    }
    const program = { curl: 'bash', node: process.execPath, go: 'go', java: 'java' }[language];
    await run(program, [...(language === 'go' ? ['run'] : []), file], { cwd: folder, env }).catch((error: unknown) =>
      assert.fail(`${sample}\n${String(error)}`),
    );
  }

  function realIds() {
    const idOf = async (answer: Promise<{ body: Record<string, unknown> }>) => String((await answer).body['id']);
    const image = () => idOf(still.post('/v1/images/generations', { model: 'sim-image', prompt: 'A gate' }));
    const video = () => idOf(still.post('/v1/video/generations', { model: 'sim-video-fast', prompt: 'A gate' }));
    const file = () => {
      const form = new FormData();
      form.set('purpose', 'batch');
      form.set('file', new Blob([batchLine]), 'lines.jsonl');
      return still.fetch('/v1/files', { method: 'POST', body: form }).then(idIn);
    };
    const batch = async () => {
      const asked = { endpoint: '/v1/chat/completions', completion_window: '24h', input_file_id: await file() };
      return idOf(still.post('/v1/batches', asked));
    };
    return [
      [exampleOf('getImage'), image],
      [exampleOf('getVideo'), video],
      [exampleOf('getAvatarTalk'), () => talk(still)],
      [exampleOf('retrieveFile'), file],
      [exampleOf('retrieveBatch'), batch],
      [exampleOf('getKey'), () => idOf(still.post('/v1/account/keys', { name: 'sample' }))],
      [exampleOf('getResponse'), () => idOf(still.post('/v1/responses', { model: 'sim-code', input: 'Hello' }))],
    ] as const;
  }

  const exampleOf = (id: string) =>
    operations.find((one) => one.id === id)!.parameters.find(({ place }) => place === 'path')!.example;

  async function talk(on: TestGateway): Promise<string> {
    const form = new FormData();
    for (const [name, file] of [
      ['audio', 'speech.wav'],
      ['video', 'footage.mp4'],
    ] as const) {
      form.set(name, new Blob([new Uint8Array(await readFile(join(folder, file)))]), file);
    }
    const answer = await on.fetch('/v1/svctalk/generate', { method: 'POST', body: form });
    return idIn(answer);
  }

  const idIn = async (answer: Response): Promise<string> => String(((await answer.json()) as { id: unknown }).id);

  /** The list fetches nothing. */
  async function ended(id: string): Promise<string> {
    for (;;) {
      const { body } = await gateway.get('/v1/tasks?kind=avatar_talk&status=completed');
      if ((body['data'] as { id: string }[]).some((task) => task.id === id)) return id;
      await setTimeout(100);
    }
  }
});

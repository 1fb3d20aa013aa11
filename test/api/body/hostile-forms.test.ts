/** Forms that are broken, or made to hurt: each is stored whole or refused with nothing left behind, within its time. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type AvatarTalkForm, readAvatarTalkForm } from '../../../src/api/body/avatar-talk-form.ts';
import { ClientGone } from '../../../src/api/body/request-stream.ts';
import { GatewayError } from '../../../src/domain/errors.ts';
import type { BlobStore } from '../../../src/blobs/blob-store.ts';
import { createFileBlobs } from '../../../src/blobs/file-store.ts';
import { newBlobKey } from '../../../src/postgres/new-ids.ts';
import { cut, mutated } from '../../support/mutations.ts';
import { chanceOf } from '../../support/seeded.ts';
import { withBodyServer } from './body-server.ts';

const rounds = Number(process.env['TEST_ROUNDS'] ?? 60);
const limits = { audioBytes: 4_000, videoBytes: 8_000 };
const type = 'multipart/form-data; boundary=XX';

let folder: string;
let store: BlobStore;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-forms-'));
  store = createFileBlobs(folder);
});
after(() => rm(folder, { recursive: true, force: true }));

const part = (name: string, content: string, more = '') =>
  `--XX\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`;
const end = '--XX--\r\n';
const audio = part('audio', 'RIFF audio'.repeat(20), '; filename="a.wav"\r\nContent-Type: audio/wav');
const video = part('video', 'ftyp contents'.repeat(100), '; filename="v.mp4"\r\nContent-Type: video/mp4');
const sample = part('model', 'talk') + audio + part('template_name', '不使用分身') + video + end;

const words = [
  ...[
    '--XX\r\n',
    '--XX--',
    '\r\n--XX',
    '\r\n\r\n',
    '\r',
    '\n',
    '\0',
    '--',
    'XX',
    '"',
    "''",
    ';',
    '=',
    '\\"',
    '%00',
    '../../',
  ],
  ...[
    '; name="audio"',
    '; filename="x"',
    "; filename*=utf-8''%2e%2e%2f%00",
    '; name="__proto__"',
    '; name=""',
    '\ufeff',
  ],
  ...[
    'Content-Type: multipart/mixed; boundary=YY\r\n',
    'Content-Transfer-Encoding: base64\r\n',
    'Content-Disposition: form-data\r\n',
  ],
  ...[
    'Content-Disposition: attachment; name="video"\r\n',
    'Content-Length: 0\r\n',
    'X: '.padEnd(9_000, 'x'),
    'a'.repeat(20_000),
  ],
];

/** What becomes of a form that is sent in these pieces, and how many files are stored afterwards. */
async function sent(bytes: Buffer, pieces: readonly Buffer[] = [bytes], contentType = type) {
  let outcome: { value?: AvatarTalkForm; error?: unknown } = {};
  const read = (request: Parameters<typeof readAvatarTalkForm>[0]) =>
    readAvatarTalkForm(request, { store, newKey: () => newBlobKey('uploads'), limits, idleMs: 5_000 });
  await withBodyServer(read, async (server) => {
    server.post({ 'content-type': contentType, 'content-length': bytes.length }, ...pieces);
    outcome = await server.outcome();
  });
  const { value, error } = outcome;
  for (const blob of value ? [value.audio, value.video] : []) {
    assert.equal(await store.size(blob.key), blob.bytes);
    await store.remove(blob.key);
  }
  assert.ok(value || error instanceof GatewayError || error instanceof ClientGone, String(error));
  assert.deepEqual(await stored(), [], 'something was left behind');
  return value ? 'stored' : error instanceof GatewayError ? error.code : 'gone';
}

async function stored(): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map(({ name }) => name);
}

test('a form that was changed anywhere is stored or refused', async (t) => {
  const chance = chanceOf(t);
  assert.equal(await sent(Buffer.from(sample)), 'stored');
  const counts: Record<string, number> = {};
  for (let round = 0; round < rounds; round++) {
    const bytes = mutated(Buffer.from(sample), chance, words);
    const outcome = await sent(bytes, chance.below(3) === 0 ? cut(bytes, chance).slice(0, 200) : undefined).catch(
      (error: unknown) => {
        throw new Error(`round ${round}: ${JSON.stringify(bytes.toString('latin1').slice(0, 600))}`, { cause: error });
      },
    );
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  t.diagnostic(JSON.stringify(counts));
});

for (const [what, body, outcome] of [
  ['10,000 parts', () => part('x', 'y').repeat(10_000) + audio + video + end, 'invalid_parameter'],
  ['10,000 files', () => part('x', 'y', '; filename="z"').repeat(10_000) + end, 'invalid_parameter'],
  ['10,000 empty parts', () => '--XX\r\n\r\n\r\n'.repeat(10_000) + audio + video + end, 'invalid_parameter'],
  [
    '20 KB to be skipped, and parts behind them',
    () => `--XX\r\nX: y\r\n\r\n${'z'.repeat(20_000)}\r\n${audio}${video}${end}`,
    'stored',
  ],
  ['a name of 100 KB', () => part('n'.repeat(100_000), 'y') + audio + video + end, 'stored'],
  ['1,000 headers of a part', () => `--XX\r\n${'X-A: b\r\n'.repeat(1_000)}\r\ny\r\n${audio}${video}${end}`, 'stored'],
  [
    'a form within the form',
    () => part('audio', `--YY\r\n\r\nx\r\n--YY--`, '\r\nContent-Type: multipart/mixed; boundary=YY') + video + end,
    'stored',
  ],
  [
    'files that are called like paths',
    () =>
      part('audio', 'x', '; filename="../../etc/passwd\0.wav"') + part('video', 'y', "; filename*=utf-8''%2e%2e%2f"),
    'invalid_parameter',
  ],
  ['a field called __proto__', () => part('__proto__', 'x') + part('constructor', 'y') + audio + video + end, 'stored'],
  ['a field with a NUL', () => part('model', 'a\0b') + audio + video + end, 'stored'],
] as const) {
  test(`a form with ${what} is ${outcome === 'stored' ? 'read' : 'refused'}`, async () => {
    assert.equal(await sent(Buffer.from(body())), outcome);
  });
}

for (const [what, boundary] of [
  ['70 dashes', '-'.repeat(70)],
  ['a boundary of 5,000 characters', 'b'.repeat(5_000)],
  ['an empty boundary', ''],
  ['a boundary in quotes with a line end', '"a%0d%0ab"'],
  ['a boundary of the characters of an expression', '(.*)+$'],
] as const) {
  test(`a type with ${what} is read or refused`, async () => {
    const bytes = Buffer.from(sample.replaceAll('XX', boundary));
    await sent(bytes, [bytes], `multipart/form-data; boundary=${boundary}`);
  });
}

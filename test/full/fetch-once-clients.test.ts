/** Other programs fetch a result: each closes in its own way, and for each it is gone when it has all of it, and only then. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { after, before, test } from 'node:test';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { KeyId } from '../../src/domain/ids.ts';
import { claimsUntil, isRemoved } from '../../src/tasks/rows/fetch-claims.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { until } from '../support/process.ts';
import { finishedTalk } from '../support/talks.ts';

const run = promisify(execFile);
const bytes = 3_000_000;
let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ worker: false });
});
after(() => gateway.stop());

async function newTalk() {
  const { account, keyId } = await gateway.newKey();
  const talk = await finishedTalk(gateway.core, { account, key: keyId as KeyId }, bytes);
  return { ...talk, url: `${gateway.url}${talk.path}`, header: `Authorization: Bearer ${gateway.key}` };
}
type Target = Awaited<ReturnType<typeof newTalk>>;

const python =
  (program: string) =>
  async ({ url, header }: Target) => {
    const { stdout } = await run('python3', ['-c', program, url, header.split(': ')[1] ?? '']);
    return Number(stdout);
  };

const keptAlive = new Agent({ keepAlive: true });
after(() => keptAlive.destroy());

const clients: [what: string, fetchAll: (target: Target) => Promise<number>][] = [
  ['curl', async ({ url, header }) => (await run('curl', ['-sS', '-H', header, url], options)).stdout.length],
  [
    'curl by HTTP/1.0',
    async ({ url, header }) => (await run('curl', ['-0sS', '-H', header, url], options)).stdout.length,
  ],
  [
    'urllib',
    python(`import sys, urllib.request as r
print(len(r.urlopen(r.Request(sys.argv[1], headers={'Authorization': sys.argv[2]})).read()))`),
  ],
  [
    'http.client, which leaves its connection to be collected',
    python(`import sys, http.client, urllib.parse as p
u = p.urlsplit(sys.argv[1])
c = http.client.HTTPConnection(u.hostname, u.port)
c.request('GET', u.path, headers={'Authorization': sys.argv[2], 'Connection': 'keep-alive'})
print(len(c.getresponse().read()))`),
  ],
  [
    'a client that keeps its connections',
    async ({ url, header }) => {
      const call = get(url, { agent: keptAlive, headers: { authorization: header.split(': ')[1] ?? '' } });
      const [answer] = (await once(call, 'response')) as [NodeJS.ReadableStream];
      return (await buffer(answer)).length;
    },
  ],
];
const options = { encoding: 'buffer', maxBuffer: 2 * bytes } as const;

for (const [what, fetchAll] of clients) {
  test(`${what} gets all of it, and then it is gone`, async () => {
    const talk = await newTalk();
    assert.equal(await fetchAll(talk), bytes);
    await until('its removal', async () => ((await isRemoved(gateway.core.database, talk.id)) ? true : undefined));
  });
}

test('curl on a slow link that is killed on its way finds the result again', async () => {
  const talk = await newTalk();
  const slow = spawn('curl', ['-sS', '--limit-rate', '50k', '-H', talk.header, talk.url]);
  await once(slow.stdout, 'data');
  slow.kill('SIGKILL');
  await until('the end of the claim', async () =>
    (await claimsUntil(gateway.core.database, talk.id)) === 0 ? true : undefined,
  );
  assert.equal(await isRemoved(gateway.core.database, talk.id), false);
});

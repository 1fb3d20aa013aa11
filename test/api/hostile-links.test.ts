/** Links to files that were forged, and paths that try to lead elsewhere: none opens anything, and none is a fault of the gateway. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { KeyId } from '../../src/domain/ids.ts';
import { signLink } from '../../src/tasks/provider-calls/signed-links.ts';
import { sharedTestGateway, type TestGateway } from '../support/gateway.ts';
import { exchange } from '../support/raw-http.ts';
import { finishedTalk, type Talk } from '../support/talks.ts';

let gateway: TestGateway;
let talk: Talk;
let other: Talk;
let link: string;
before(async () => {
  gateway = await sharedTestGateway();
  const { account, keyId } = await gateway.newKey();
  talk = await finishedTalk(gateway.core, { account, key: keyId as KeyId }, 10_000);
  other = await finishedTalk(gateway.core, { account, key: keyId as KeyId }, 20_000);
  link = linkTo(talk, 3_600);
});
after(() => gateway.stop());

const linkTo = ({ id }: Talk, seconds: number) =>
  signLink({ taskId: id, file: 0, expiresAtSeconds: Math.floor(Date.now() / 1000) + seconds }, gateway.core.secrets);

/** Sends a target as it is, and answers its status. */
async function statusOf(target: string, headers = '', method = 'GET'): Promise<number> {
  const request = `${method} ${target} HTTP/1.1\r\nHost: x\r\n${headers}Connection: close\r\n\r\n`;
  const { answers } = await exchange(gateway.url, request);
  assert.equal(answers.length, 1, target.slice(0, 100));
  return answers[0]?.status ?? 0;
}

test('the link itself opens its file, and an expired one does not', async () => {
  assert.equal(await statusOf(link), 200);
  assert.equal(await statusOf(linkTo(talk, -1)), 404);
});

test('with any character changed it opens nothing', async () => {
  const from = '/files/'.length;
  const changed = Array.from({ length: link.length - from }, (_, at) => {
    const place = from + at;
    return `${link.slice(0, place)}${link[place] === '7' ? '8' : '7'}${link.slice(place + 1)}`;
  });
  for (let at = 0; at < changed.length; at += 20) {
    const statuses = await Promise.all(changed.slice(at, at + 20).map((target) => statusOf(target)));
    assert.ok(
      statuses.every((status) => status === 404),
      statuses.join(),
    );
  }
});

test('fields in another order are the same link; twice, as lists or objects, or none at all, they are none', async () => {
  const [path = '', query = ''] = link.split('?');
  const [e = '', k = '', s = ''] = query.split('&');
  assert.equal(await statusOf(`${path}?${s}&${k}&${e}`), 200);
  for (const forged of [
    ...[`${e}&${k}&${s}&${s}`, `${e}&${e}&${k}&${s}`, `${k}&${k}&${e}&${s}`, `${k}&${s}`, `${e}&${s}`, `${e}&${k}`, ''],
    ...[query.replace('s=', 's[]='), query.replace('e=', 'e[x]='), query.replace('s=', 's%00='), `${query}%00`],
    ...[query.replace('k=', 'k=__proto__&x='), query.replace('e=', 'e=+'), query.replace('e=', 'e=0'), `${query}=`],
    ...[query.toUpperCase(), `${query}%20`, query.replaceAll('&', ';'), 'x&'.repeat(5_000)],
  ]) {
    assert.equal(await statusOf(`${path}?${forged}`), 404, forged.slice(0, 200));
  }
});

test('a signature opens the file of its own task only', async () => {
  assert.equal(await statusOf(link.replace(talk.id, other.id)), 404);
  for (const file of ['1', '00', '-1', '0.0', '1e0', 'audio', 'video', '__proto__', 'length'])
    assert.equal(await statusOf(link.replace('/0?', `/${file}?`)), 404, file);
});

test('a path that leads out of the files, however it is written, leads nowhere', async () => {
  const query = link.slice(link.indexOf('?'));
  const ups = [
    '..',
    '%2e%2e',
    '.%2e',
    '%2E.',
    '..%2f',
    '..%5c',
    '%252e%252e',
    '%c0%ae%c0%ae',
    '．．',
    '..;',
    '...',
    '.',
  ];
  for (const up of ups) {
    for (const path of [
      `/files/${up}/${up}`,
      `/files/${up}/files/${talk.id}/0`,
      `/files/${talk.id}/${up}/0`,
      `/files/${talk.id}/0/${up}`,
      `/files/${up}/${up}/${up}/etc/passwd`,
    ]) {
      const target = Buffer.from(`${path}${query}`).toString('latin1');
      assert.ok([400, 404].includes(await statusOf(target)), path);
    }
  }
  for (const path of [
    `/files/${talk.id}%00/0`,
    `/files/${talk.id}/0%00`,
    `/files/${talk.id}./0`,
    `/files/${talk.id}/0.`,
  ])
    assert.equal(await statusOf(path + query), 404, path);
  for (const path of [`//files/${talk.id}/0`, `/FILES/${talk.id}/0`, `/files/${talk.id}//0`, `/./files/${talk.id}/0`])
    assert.equal(await statusOf(path + query), 404, path);
  assert.equal(await statusOf(`/files/${'a'.repeat(10_000)}/0${query}`), 404);
});

test('only GET and HEAD are taken', async () => {
  assert.equal((await gateway.fetch(link, { method: 'HEAD', key: null })).status, 200);
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'PROPFIND', 'TRACE'])
    assert.equal(await statusOf(link, '', method), 405, method);
});

for (const range of [
  `bytes=${Array.from({ length: 1_000 }, (_, at) => `${at}-${at}`).join()}`,
  'bytes=0-0,0-0,0-0',
  'bytes=0-99999999999999999999',
  'bytes=99999999999999999999-',
  'bytes=-99999999999999999999',
  'bytes=18446744073709551615-18446744073709551616',
  'bytes=-0',
  'bytes=--1',
  'bytes=1-0',
  'bytes=0x0-0x9',
  'bytes= 0 - 9 ',
  'bytes=0-9\t',
  'BYTES=0-9',
  'bytes=٠-٩',
  'bytes=',
]) {
  test(`the range ${range.slice(0, 40)} is one part, the whole, or none`, async () => {
    const request = `GET ${link} HTTP/1.1\r\nHost: x\r\nRange: ${Buffer.from(range).toString('latin1')}\r\n\r\n`;
    const { answers } = await exchange(gateway.url, request, 50);
    const [answer] = answers;
    assert.ok([200, 206, 416].includes(answer?.status ?? 0), String(answer?.status));
    assert.ok((answer?.body.length ?? 0) <= talk.bytes);
    assert.doesNotMatch(answer?.headers.get('content-type') ?? '', /multipart/);
  });
}

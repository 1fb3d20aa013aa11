/** Connections through a balancer that names the caller in front of them, by the PROXY protocol. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { newPerson, password } from '../support/people.ts';

const signature = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');
/** Version 2, command PROXY or LOCAL, address family, addresses and ports. */
function header(command: 0 | 1, family: number, addresses: Buffer, more = Buffer.alloc(0)): Buffer {
  const fixed = Buffer.from([0x20 | command, family, 0, 0]);
  fixed.writeUInt16BE(addresses.length + more.length, 2);
  return Buffer.concat([signature, fixed, addresses, more]);
}
const ports = Buffer.from([0x9c, 0x40, 0x1f, 0x90]);
const fromIpv4 = (...bytes: readonly number[]) => header(1, 0x11, Buffer.from([...bytes, 10, 0, 0, 2, ...ports]));
const ipv6 = Buffer.from('20010db8000000000000000000000007', 'hex');
const fromIpv6 = header(1, 0x21, Buffer.concat([ipv6, ipv6, ports]));

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ worker: false, env: { TOLLGATE_PROXY_PROTOCOL_FROM: '127.0.0.0/28' } });
});
after(() => gateway.stop());

/** Sends pieces on a connection of their own, from this loopback address, and returns all that comes back. */
async function send(pieces: readonly (Buffer | string)[], localAddress = '127.0.0.2'): Promise<string> {
  const { port } = new URL(gateway.url);
  const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress, noDelay: true });
  let answered = '';
  socket.setEncoding('utf8').on('data', (text: string) => (answered += text));
  socket.on('error', () => undefined);
  for (const piece of pieces) {
    if (socket.destroyed) break;
    await new Promise((resolve) => socket.write(piece, resolve));
  }
  if (!socket.closed) await once(socket, 'close');
  return answered;
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n\r\n`;
const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);

async function addressSeen(pieces: (request: string) => readonly (Buffer | string)[], from?: string): Promise<unknown> {
  const { email, id } = await newPerson(gateway);
  const body = JSON.stringify({ email, password });
  const request =
    `POST /console/api/session HTTP/1.1\r\nHost: ${new URL(gateway.url).host}\r\nOrigin: ${gateway.url}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
  assert.equal(statusOf(await send(pieces(request), from)), 200);
  const { rows } = await gateway.core.database.pool.query<{ address: string }>(
    'select address from sessions where person_id = $1',
    [id],
  );
  return rows[0]?.address;
}

describe('the caller is', () => {
  test('whom the balancer names, in IPv4', async () =>
    assert.equal(await addressSeen((request) => [fromIpv4(203, 0, 113, 9), request]), '203.0.113.9'));
  test('whom the balancer names, in IPv6', async () =>
    assert.equal(
      await addressSeen((request) => [Buffer.concat([fromIpv6, Buffer.from(request)])]),
      '2001:db8:0:0:0:0:0:7',
    ));
  test('named in as many pieces as the header has bytes', async () =>
    assert.equal(
      await addressSeen((request) => [...[...fromIpv4(203, 0, 113, 10)].map((byte) => Buffer.from([byte])), request]),
      '203.0.113.10',
    ));
  test('named beside facts that nothing here reads', async () => {
    const facts = header(1, 0x11, Buffer.from([203, 0, 113, 11, 10, 0, 0, 2, ...ports]), Buffer.from([4, 0, 2, 0, 0]));
    assert.equal(await addressSeen((request) => [facts, request]), '203.0.113.11');
  });
  test('the balancer where it speaks for itself, or says nothing', async () => {
    assert.equal(await addressSeen((request) => [header(0, 0, Buffer.alloc(0)), request]), '127.0.0.2');
    assert.equal(await addressSeen((request) => [request]), '127.0.0.2');
  });
});

test('a header of a peer that is no balancer is no HTTP', async () => {
  assert.equal(statusOf(await send([fromIpv4(203, 0, 113, 9), get('/healthz')], '127.0.0.77')), 400);
});

test('a broken header ends its connection without an answer', async () => {
  const broken = {
    'version 1 in the place of 2': Buffer.concat([signature, Buffer.from([0x11, 0x11, 0, 12]), Buffer.alloc(12)]),
    'an unknown command': Buffer.concat([signature, Buffer.from([0x22, 0x11, 0, 12]), Buffer.alloc(12)]),
    'an unknown family': header(1, 0x31, Buffer.alloc(36)),
    'addresses cut short': header(1, 0x21, Buffer.alloc(12)),
    'a length beyond reason': Buffer.concat([signature, Buffer.from([0x21, 0x11, 0xff, 0xff])]),
  };
  for (const [what, bytes] of Object.entries(broken)) assert.equal(await send([bytes, get('/healthz')]), '', what);
});

test('metrics are for those beside the gateway, not for callers behind the balancer', async () => {
  assert.equal(statusOf(await send([get('/metrics')])), 200);
  assert.equal(statusOf(await send([header(0, 0, Buffer.alloc(0)), get('/metrics')])), 200);
  assert.equal(statusOf(await send([fromIpv4(203, 0, 113, 9), get('/metrics')])), 404);
  assert.equal(statusOf(await send([fromIpv4(203, 0, 113, 9), get('/healthz')])), 200);
});

test('several requests follow each other on a connection that was passed on', async () => {
  const request = get('/healthz');
  const first = request.replace('Connection: close\r\n', '');
  const answers = await send([Buffer.concat([fromIpv4(203, 0, 113, 9), Buffer.from(first + first)]), request]);
  assert.equal(answers.match(/HTTP\/1\.1 200/g)?.length, 3);
});

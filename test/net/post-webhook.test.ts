/** Sending a webhook over real sockets: what is sent, what an answer means, and what is never reached. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WebhookRequest } from '../../src/domain/webhook-rules.ts';
import { webhookPoster } from '../../src/webhooks/post-webhook.ts';
import { AddressGuard } from '../../src/net/public-hosts.ts';
import { webhookSignature } from '../../src/webhooks/webhook-signature.ts';
import { withUpstream } from '../support/upstream.ts';
import { assertDelivery } from '../support/webhooks.ts';

const secrets = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)].map((key) => `whsec_${key.toString('base64')}`);
const body = '{"type":"account.balance_low","timestamp":"2026-09-21T14:13:20.000Z","data":{"name":"中"}}';
const requestTo = (url: string): WebhookRequest => ({ url, id: 'evt_1', body, secrets });
const never = new AbortController().signal;
const open = (timeoutMs = 5_000) =>
  webhookPoster(new AddressGuard({ allowPrivate: true, allowedOrigins: [] }), { timeoutMs });

test('signs as the example of Standard Webhooks is signed', () => {
  const signed = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: 1_614_265_330,
    body: '{"test": 2432232314}',
    secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  };
  assert.equal(webhookSignature(signed), 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  assert.throws(() => webhookSignature({ ...signed, secrets: [] }));
});

test('the body arrives as it is, signed by every secret', () =>
  withUpstream(async (receiver) => {
    receiver.answers({ status: 202, json: {} });
    const outcome = await open()(requestTo(`${receiver.url}/a?b=c`), never);
    assert.deepEqual(outcome, { verdict: 'delivered', status: 202, fault: null, answer: '{}' });
    const [request] = receiver.requests;
    assert.equal(request?.body.toString(), body);
    assert.equal(assertDelivery(request, secrets).id, 'evt_1');
    await receiver.hungUp();
  }));

describe('a receiver', () => {
  test('that never answers is left when the time is over', () =>
    withUpstream(async (receiver) => {
      receiver.answers({ ending: 'stall-before' });
      const outcome = await open(150)(requestTo(receiver.url), never);
      assert.deepEqual(outcome, { verdict: 'again', status: null, fault: 'no answer within 0.15 s' });
      await receiver.hungUp();
    }));

  test('that answered has the event, though the rest of its answer hangs or never ends', () =>
    withUpstream(async (receiver) => {
      const delivered = { verdict: 'delivered', status: 200, fault: null };
      receiver.answers({ pieces: ['{'], ending: 'stall' });
      assert.deepEqual(await open(150)(requestTo(receiver.url), never), { ...delivered, answer: '{' });
      receiver.answers({ pieces: Array.from({ length: 64 }, () => 'x'.repeat(16_384)), ending: 'stall' });
      assert.deepEqual(await open()(requestTo(receiver.url), never), { ...delivered, answer: 'x'.repeat(1024) });
      await receiver.hungUp();
    }));

  test('that is not there, or breaks off, is reported by a code without its address', () =>
    withUpstream(async (receiver) => {
      receiver.answers({ ending: 'break-before' });
      const broken = await open()(requestTo(receiver.url), never);
      assert.deepEqual(broken, { verdict: 'again', status: null, fault: 'no answer (UND_ERR_SOCKET)' });
      const closed = await open()(requestTo('http://127.0.0.1:1/hook'), never);
      assert.deepEqual(closed, { verdict: 'again', status: null, fault: 'no answer (ECONNREFUSED)' });
    }));
});

test('of an answer its first KiB is kept as text: no half of a character, nothing that moves the cursor or turns the text around', () =>
  withUpstream(async (receiver) => {
    const answered = async (...pieces: (string | Buffer)[]) => {
      receiver.answers({ status: 500, pieces });
      return (await open()(requestTo(receiver.url), never)).answer;
    };
    assert.equal(await answered('no such\ttable\n', '\u001b[2J\0\r\u202eafter '), 'no such\ttable\n[2Jafter');
    assert.equal(await answered('中'.repeat(1000)), '中'.repeat(341));
    assert.equal(await answered(Buffer.from([0xff, 0x41])), '\uFFFDA');
    assert.equal(await answered(' \n'), undefined);
    assert.equal(await answered(), undefined);
  }));

test('a stop breaks an attempt off and is no outcome', () =>
  withUpstream(async (receiver) => {
    receiver.answers({ ending: 'stall-before' });
    const stop = new AbortController();
    const outcome = open()(requestTo(receiver.url), stop.signal);
    await receiver.received(1);
    stop.abort(new Error('the worker stops'));
    await assert.rejects(outcome, /the worker stops/);
  }));

test('an address that is or leads to a private one is given up, and nothing connects', () =>
  withUpstream(async (receiver) => {
    // What the first look-up finds is public; the one of the connection finds this machine.
    const guard = new AddressGuard({
      allowPrivate: false,
      allowedOrigins: [],
      resolve: () => Promise.resolve(['93.184.215.14']),
    });
    const { port } = new URL(receiver.url);
    const post = webhookPoster(guard);
    const refused = {
      verdict: 'never',
      status: null,
      fault: 'the address is refused: it must be http or https on a public host',
    };
    for (const url of [
      receiver.url,
      `http://localhost:${port}/`,
      `http://user:word@example.com/`,
      'file:///etc',
      'no',
    ]) {
      assert.deepEqual(await post(requestTo(url), never), refused, url);
    }
    assert.equal(receiver.connections.all, 0);
  }));

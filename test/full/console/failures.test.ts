/** What a page does when its server goes away, and when its reader signs out in another tab. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { browser } from '../../support/browser.ts';
import { audited } from '../../support/browser/accessibility.ts';
import { signIn } from '../../support/console.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { newPerson, password } from '../../support/people.ts';

let gateway: TestGateway;
before(async () => (gateway = await startTestGateway({ worker: false })));
after(() => gateway.stop());

test('an unreachable server is reported, and once it is back the page continues by itself', async () => {
  const { email } = await newPerson(gateway);
  const line = await lineTo(Number(new URL(gateway.url).port));
  const away = /Can’t reach the server/;
  try {
    await browser.visit({ origin: line.url, expectBrokenRequests: true }, async (page) => {
      await signIn(page, { url: line.url, email, password });
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      await line.cut();
      await page.getByText(away).waitFor();
      await audited(page);
      await line.restore();
      await page.getByText(away).waitFor({ state: 'detached' });
      assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Overview');
    });
  } finally {
    await line.cut();
  }
});

test('who signs out in one tab is signed out in the other', async () => {
  const { email } = await newPerson(gateway);
  await browser.visit({ origin: gateway.url, expectAnswers: [401] }, async (page) => {
    await signIn(page, { url: gateway.url, email, password });
    const other = await page.context().newPage();
    await other.goto(`/console/${gateway.account}/team`);
    await other.getByRole('heading', { level: 1 }).waitFor();
    await page.getByRole('button', { name: email }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await other.getByLabel('E-mail').waitFor();
  });
});

/** A line to a port of this machine that can be cut, so that connections are refused, and restored. */
async function lineTo(port: number): Promise<{ url: string; cut: () => Promise<void>; restore: () => Promise<void> }> {
  const sockets = new Set<Socket>();
  const pass = (from: Socket) => {
    const to = connect(port, '127.0.0.1');
    for (const socket of [from, to]) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket)).on('error', () => undefined);
    }
    from.pipe(to).pipe(from);
  };
  let server: Server | undefined;
  const open = async (at: number) => {
    server = createServer(pass).listen(at, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const own = await open(0);
  return {
    url: `http://127.0.0.1:${own}`,
    cut: async () => {
      const closed = server?.listening ? once(server, 'close') : undefined;
      server?.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    restore: async () => {
      await open(own);
    },
  };
}

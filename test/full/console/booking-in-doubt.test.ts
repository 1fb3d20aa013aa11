/** An operator's booking whose commit is in doubt, in a real browser: the dialog says what is true, and the same form books it once. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { browser } from '../../support/browser.ts';
import { audited } from '../../support/browser/accessibility.ts';
import { openAs } from '../../support/console.ts';
import { freshDatabase, fromTestRun, type TestDatabase } from '../../support/database.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { type Line, openLine } from '../../support/line.ts';
import { newPerson, password } from '../../support/people.ts';
import { until } from '../../support/process.ts';

let made: TestDatabase;
let line: Line;
let gateway: TestGateway;
before(async () => {
  made = await freshDatabase();
  line = await openLine(made.url);
  const servers = { databaseUrl: line.url, temporalAddress: fromTestRun('TEMPORAL_ADDRESS') };
  gateway = await startTestGateway({ servers, worker: false });
});
after(async () => {
  await line.restore();
  await gateway.stop();
  await line.close();
  await made.drop();
});

const reason = 'paid by wire';
/** The statement with a booking's money, which goes out with its commit; its act is written before. */
const booking = 'write-money-locked';

for (const { locale, text, words } of [
  {
    locale: 'en-US',
    text: 'The connection to the database was lost before this action was confirmed',
    words: { credit: 'Credit', amount: 'Amount in CNY', reason: 'Reason', next: 'Continue' },
  },
  {
    locale: 'zh-CN',
    text: '在数据库确认结果之前连接中断，此操作可能已经执行。',
    words: { credit: /^充\s?值$/, amount: /金额/, reason: '原因', next: /继\s?续/ },
  },
] as const) {
  test(`a credit in doubt is reported, and sent again from the same dialog it is booked once (${locale})`, async () => {
    const { account, key } = await gateway.newKey({ balance: '100' });
    const { email } = await newPerson(gateway, { memberships: [], isOperator: true });
    const expected = { origin: gateway.url, locale, expectAnswers: [503] };
    await browser.visit(expected, async (page) => {
      await openAs(page, { url: gateway.url, email, password }, `/console/operator/accounts?account=${account}`);
      const dialog = page.getByRole('dialog').last();
      await page.getByRole('button', { name: words.credit, exact: true }).click();
      await dialog.getByLabel(words.amount).fill('2.5');
      await dialog.getByLabel(words.reason).fill(reason);
      await dialog.getByRole('button', { name: words.next }).click();
      const failed = line.fails('mute', booking);
      await dialog.getByRole('button', { name: words.credit, exact: true }).click();
      await failed;
      await until('the commit', async () => ((await bookings()) > 0 ? true : undefined));
      await line.cut();
      await dialog.getByText(text).waitFor();
      await audited(page);
      await line.restore();
      await until('the database', async () => ((await gateway.get('/readyz')).status === 200 ? true : undefined));
      await dialog.getByRole('button', { name: words.next }).click();
      await dialog.getByRole('button', { name: words.credit, exact: true }).click();
      await page.locator('.tg-booking').waitFor({ state: 'detached' });
      await page.getByText(text).waitFor({ state: 'detached' });
    });
    assert.equal(await bookings(), 1);
    assert.deepEqual(await gateway.money(key), { balance: 102.5, held: 0 });

    async function bookings(): Promise<number> {
      const sql = 'select 1 from entries where account_id = $1 and reason = $2';
      return (await made.database.pool.query(sql, [account, reason])).rowCount ?? 0;
    }
  });
}

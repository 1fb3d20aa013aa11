/** The operators' page of revenue, cost and margin in a real browser. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { browser } from '../../support/browser.ts';
import { audited } from '../../support/browser/accessibility.ts';
import { openAs } from '../../support/console.ts';
import { writeEntries } from '../../support/entries.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { newPerson, password } from '../../support/people.ts';

let gateway: TestGateway;
const operator = 'operator@example.com';
before(async () => {
  gateway = await startTestGateway({ worker: false });
  await newPerson(gateway, { email: operator, memberships: [], isOperator: true });
  await writeEntries(gateway.core.database, gateway.account, [
    { model: 'chat', provider: 'one', revenue: 1_000_000, cost: 600_000 },
    { model: 'chat', revenue: 250_000 },
    { model: 'image', provider: 'two', revenue: 500_000, cost: 700_000 },
  ]);
});
after(() => gateway.stop());

test('revenue, cost and margin by what is chosen, and the same as a file', () =>
  browser.visit({ origin: gateway.url }, async (page) => {
    await openAs(page, { url: gateway.url, email: operator, password }, '/console/operator/accounts');
    await page.getByRole('link', { name: 'Margin' }).click();
    await page
      .getByText(
        'The cost is unknown for 1 of 3 calls and tasks, which brought in ¥0.2500. They are excluded from the margin.',
      )
      .waitFor();
    await page.locator('.ant-segmented-item', { hasText: 'Model' }).click();
    const rows = page.getByRole('table', { name: 'Revenue and cost' }).locator('tbody tr');
    await rows.filter({ hasText: 'image' }).waitFor();
    assert.deepEqual(
      (await rows.allInnerTexts()).map((text) => text.split(/\s+/)),
      [
        ['chat', '2', '¥1.25', '¥0.00', '¥0.6000', '¥0.4000', '40%', '1', 'of', '2'],
        ['image', '1', '¥0.5000', '¥0.00', '¥0.7000', '-¥0.2000', '-40%', '–'],
      ],
    );
    await audited(page);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download CSV' }).click(),
    ]);
    assert.match(download.suggestedFilename(), /^tollgate-margin-by-model-.*\.csv$/);
  }));

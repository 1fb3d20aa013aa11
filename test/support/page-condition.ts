/** Waits for what a page comes to be. Playwright's `waitForFunction` needs `eval`, which the pages' policy forbids. */
import type { Page } from 'playwright-core';

/** As long as what Playwright waits for itself may take. */
const conditionTimeoutMs = 60_000;

/** Resolves once an expression of JavaScript is true in the page, which is looked at with each frame; rejects after a minute, naming it. */
export async function becomesTrue(page: Page, expression: string): Promise<void> {
  await page.evaluate(
    `new Promise((resolve, reject) => {
      const late = performance.now() + ${conditionTimeoutMs};
      const look = () => {
        if (${expression}) resolve(true);
        else if (performance.now() > late) reject(new Error(${JSON.stringify(`After ${conditionTimeoutMs} ms this is not true: ${expression}`)}));
        else requestAnimationFrame(look);
      };
      look();
    })`,
  );
}

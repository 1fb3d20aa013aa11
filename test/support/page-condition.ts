/** Waits for what a page comes to be. Playwright's `waitForFunction` needs `eval`, which the pages' policy forbids. */
import type { Page } from 'playwright-core';

/** Resolves once an expression of JavaScript is true in the page; it is looked at with each frame. */
export async function becomesTrue(page: Page, expression: string): Promise<void> {
  await page.evaluate(
    `new Promise((resolve) => {
      const look = () => (${expression}) ? resolve(true) : requestAnimationFrame(look);
      look();
    })`,
  );
}

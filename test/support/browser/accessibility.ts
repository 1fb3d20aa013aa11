/** Whether everybody can use a page as it stands now, as axe-core judges, and whether it fits its screen. */
import assert from 'node:assert/strict';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import * as z from 'zod';

const violations = z.array(
  z.object({
    id: z.string(),
    impact: z.string().nullish(),
    help: z.string(),
    nodes: z.array(z.object({ html: z.string(), target: z.array(z.unknown()), failureSummary: z.string().optional() })),
  }),
);

const grave = ['serious', 'critical'];

/** How many elements of one violation are listed. */
const nodesToldMax = 5;

/** Fails with a readable list if the page, once movement has ended, breaks WCAG 2.1 AA in a serious or critical way. */
export async function audited(page: Page): Promise<void> {
  await page.evaluate(movementEnded);
  // Evaluated by the debugger, which no Content-Security-Policy binds: the page keeps its own.
  if (!z.boolean().parse(await page.evaluate(`'axe' in window`))) await page.evaluate(`${axe.source}; null`);
  const found = violations.parse(await page.evaluate(runAxe)).filter(({ impact }) => grave.includes(impact ?? ''));
  const reported = found.map(
    ({ id, impact, help, nodes }) =>
      `${impact ?? ''}: ${help} (${id}), ${nodes.length} times${nodes.slice(0, nodesToldMax).map(nodeText).join('')}`,
  );
  assert.equal(found.length, 0, `${page.url()} is not accessible:\n- ${reported.join('\n- ')}`);
}

type Node = z.output<typeof violations>[number]['nodes'][number];

const nodeText = ({ html, target, failureSummary = '' }: Node): string =>
  `\n    ${target.map(String).join(' ')}: ${html}\n      ${failureSummary.replaceAll('\n', '\n      ')}`;

const runAxe = `axe.run(document, {
  runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21aa'] },
  resultTypes: ['violations'],
}).then(({ violations }) => violations.map(({ id, impact, help, nodes }) => ({
  id, impact, help, nodes: nodes.map(({ html, target, failureSummary }) => ({ html, target, failureSummary })),
})))`;

/** Half-shown text has no contrast. What turns for ever, such as a spinner, isn't waited for. */
const movementEnded = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime))
  .map(({ finished }) => finished)).then(() => null)`;

const width = z.object({ width: z.number(), beyond: z.array(z.string()) });

/** Fails if the page is wider than its screen, naming what sticks out. Content that is cut off counts too. */
export async function assertNoSidewaysScroll(page: Page): Promise<void> {
  const screenWidth = page.viewportSize()?.width;
  assert(screenWidth !== undefined);
  const found = width.parse(await page.evaluate(`(${measureWidth})(${screenWidth})`));
  assert(
    found.width <= screenWidth,
    `${page.url()} is ${found.width} px wide on a screen of ${screenWidth} px:\n- ${found.beyond.join('\n- ')}`,
  );
}

const measureWidth = `(screenWidth) => {
  const root = document.documentElement;
  const beyond = [...document.body.querySelectorAll('*')]
    .filter((element) => element.getBoundingClientRect().right + scrollX > screenWidth + 1)
    .slice(0, 10)
    .map((element) => element.cloneNode(false).outerHTML.slice(0, 200));
  return { width: Math.max(root.scrollWidth, root.clientWidth), beyond };
}`;

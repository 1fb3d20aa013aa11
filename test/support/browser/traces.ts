/** What a page looked like: kept to find out why a test failed, and screenshots for the documentation. */
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const pictureTimeoutMs = 10_000;

export interface TracesOptions {
  /** The folder in which a new one is made; one that outlives the test run unless said otherwise. */
  tracesBelow?: string;
  /** Prints which it is; on stderr unless said otherwise. */
  say?: (line: string) => void;
}

/** Saves a screenshot and the HTML of each page, and the log, and prints the folder. */
export async function keepTraces(
  pages: readonly Page[],
  log: readonly string[],
  {
    tracesBelow = process.env['TOLLGATE_TEST_TRACES'] ?? tmpdir(),
    say = (line) => process.stderr.write(`${line}\n`),
  }: TracesOptions,
): Promise<void> {
  const folder = await mkdtemp(join(tracesBelow, 'tollgate-browser-'));
  const lines = [...log];
  for (const [index, page] of pages.entries()) {
    const name = `page-${index + 1}`;
    lines.push(`${name}: ${page.url()}`);
    try {
      await page.screenshot({ path: join(folder, `${name}.png`), timeout: pictureTimeoutMs });
      await writeFile(join(folder, `${name}.html`), await page.content());
    } catch (error) {
      lines.push(`no trace of ${name}: ${String(error)}`); // a page that hangs: the test's own error says more
    }
  }
  await writeFile(join(folder, 'console.log'), `${lines.join('\n')}\n`);
  say(`What the browser showed and said is in ${folder}`);
}

/**
 * Writes `docs/console/<name>.png` where TOLLGATE_SCREENSHOTS=1 is set, once movement has ended; does nothing without,
 * so that a test run changes no file. `name` is made of small letters, digits and hyphens.
 */
export async function screenshotOf(page: Page, name: string): Promise<void> {
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) throw new Error(`"${name}" is no name for a screenshot`);
  if (process.env['TOLLGATE_SCREENSHOTS'] !== '1') return;
  const folder = join(import.meta.dirname, '../../../docs/console');
  await mkdir(folder, { recursive: true });
  await page.evaluate('document.fonts.ready.then(() => null)');
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled', caret: 'hide' });
}

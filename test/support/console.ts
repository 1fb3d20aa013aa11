/** The account console as people use it in a browser. */
import type { Page } from 'playwright-core';
import { expectAnswers } from './browser/watch.ts';

/** Signs a person in by the form, in either language, and waits for the console. */
export async function signIn(
  page: Page,
  { url, email, password }: { url: string; email: string; password: string },
): Promise<void> {
  // A page asks who is signed in before anybody is.
  expectAnswers(page, { status: 401, path: '/console/api/session' });
  await page.goto(`${url}/console/sign-in`);
  await page.getByLabel(/^\s*(E-mail|邮箱)\s*$/).fill(email);
  await page.getByLabel(/^\s*(Password|密码)\s*$/).fill(password);
  // antd writes a space between the two characters of a button.
  await page.getByRole('button', { name: /^(Sign in|登\s?录)$/ }).click();
  await page.waitForURL(({ pathname }) => !/^\/console(\/sign-in)?\/?$/.test(pathname));
  // On a phone the menu is behind a button.
  await page.locator('header').first().waitFor();
}

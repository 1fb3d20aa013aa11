/** The account console as people use it in a browser. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { expectAnswers } from './browser/watch.ts';
import { until } from './process.ts';

export interface Person {
  /** Where their console is. */
  url: string;
  email: string;
  password: string;
}

/** Opens a page of the console as one who is signed in already. */
export async function openAs(page: Page, person: Person, path: string): Promise<void> {
  await startSession(page, person);
  await page.goto(path);
}

/** Signs a person in without any page, by the API: half a second less of a browser's work than the form. */
export async function startSession(page: Page, { url, email, password }: Person): Promise<void> {
  const headers = { 'Content-Type': 'application/json', Origin: url };
  const body = JSON.stringify({ email, password });
  const answer = await fetch(`${url}/console/api/session`, { method: 'POST', headers, body });
  assert.equal(answer.status, 200, await answer.text());
  const pairs = answer.headers.getSetCookie().map((line) => line.slice(0, line.indexOf(';')).split('='));
  const rest = { domain: new URL(url).hostname, path: '/console', httpOnly: true, sameSite: 'Strict' } as const;
  await page.context().addCookies(pairs.map(([name = '', value = '']) => ({ name, value, ...rest })));
}

/** Moves to another page of the console as a link does, without loading it anew: a third of the time. */
export async function moveTo(page: Page, path: string): Promise<void> {
  await page.evaluate(
    `document.title = ''; history.pushState(null, '', '${path}'); dispatchEvent(new PopStateEvent('popstate'))`,
  );
  await until('the next page', async () => ((await page.title()) === '' ? undefined : true));
}

/** Signs a person in by the form, in either language, and waits for the console. */
export async function signIn(page: Page, { url, email, password }: Person): Promise<void> {
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

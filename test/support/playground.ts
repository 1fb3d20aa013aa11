/** The console's playground as an owner opens it, and the costs that it shows. */
import type { Locator, Page } from 'playwright-core';
import { browser, type VisitOptions } from './browser.ts';
import { openAs } from './console.ts';
import type { TestGateway } from './gateway.ts';
import { newPerson, type NewTestPerson, password } from './people.ts';

export interface PlayingAt {
  account: TestGateway['account'];
  key: string;
}

export interface PlayingOptions extends Omit<Partial<VisitOptions>, 'origin'> {
  role?: 'owner' | 'member';
  /** In CNY; 10 unless said otherwise. */
  balance?: string;
}

/** Returns what opens a page of the playground as a new person of an account of its own with so much money. */
export const playgroundOf =
  (open: () => TestGateway) =>
  async (
    place: string,
    work: (page: Page, at: PlayingAt) => Promise<void>,
    { role = 'owner', balance = '10', ...options }: PlayingOptions = {},
  ): Promise<void> => {
    const gateway = open();
    const { account, key } = await gateway.newKey({ balance });
    const wanted: NewTestPerson = { memberships: [{ account, role }] };
    const { email } = await newPerson(gateway, wanted);
    await browser.visit({ origin: gateway.url, ...options }, async (page) => {
      await openAs(page, { url: gateway.url, email, password }, `/console/${account}/playground/${place}`);
      await work(page, { account, key });
    });
  };

/** The amounts that a list of costs shows, by their names. */
export async function costs(list: Locator): Promise<Record<string, number>> {
  await list.waitFor();
  const rows = await list.locator('div').allInnerTexts();
  return Object.fromEntries(
    rows.flatMap((row) => {
      const found = /^(.+?)\s*¥([\d.,]+)/s.exec(row);
      return found ? [[found[1]!.trim(), Number(found[2]!.replaceAll(',', ''))]] : [];
    }),
  );
}

/** The public suite: every operation of the API, over nothing but its addresses, against a gateway of any make. */
import { describe } from 'node:test';
import { testAccount } from './account.ts';
import { testCalls } from './calls.ts';
import { testLimits } from './limits.ts';
import type { Site } from './site.ts';
import { testTasks } from './tasks.ts';

/** Declares its tests; `site` is asked when they run. The gateway has the built-in models at their prices, and reaches loopback. */
export function publicSuite(site: () => Site): void {
  describe('calls', () => testCalls(site));
  describe('tasks', () => testTasks(site));
  describe('accounts', () => testAccount(site));
  describe('limits', () => testLimits(site));
}

/** Every check that needs the database alone, in the order in which the audit makes them. */
import { actsCheck } from './audit-log-chain.ts';
import type { Check } from '../check-context.ts';
import { chargesCheck } from './charge-sums.ts';
import { chains } from './chains.ts';
import { counters } from './counters.ts';
import { costsCheck } from './entry-costs.ts';
import { entryRules } from './entry-sums.ts';
import { factsCheck } from './logged-facts.ts';
import { holds } from './holds.ts';
import { rightsCheck } from './access-rights.ts';
import { tasksCheck } from './task-seals.ts';

/** Money: each entry; each account's chain with balances and counters; holds against entries; running tasks. */
export const moneyChecks: readonly Check[] = [entryRules, chains, holds, counters];

/** Rows: the audit log, what people set of accounts and keys against it, rights against their seals, tasks against their seals and their money, charges against their prices, costs against what is kept of them. */
export const rowChecks: readonly Check[] = [actsCheck, factsCheck, rightsCheck, tasksCheck, chargesCheck, costsCheck];

/** What the parts of the page say to each other. */
import type { Answer } from '../../api/client.ts';

export type Outcome = Answer<'listUnknownOutcomes'>['data'][number];

export const outcomesKey = 'operator-unknown';

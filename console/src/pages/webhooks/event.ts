/** An event as lists and details have it. */
import type { Answer } from '../../api/client.ts';

export type Event = Answer<'listEvents'>['data'][number];
type Attempt = Answer<'getEvent'>['course'][number];

/** Of the cached lists. */
export const eventsKey = 'events';

/** What an attempt met with: the answer's status, or why there was none. */
export const answerOf = ({ status, fault }: Attempt): string => (status === null ? (fault ?? '–') : `HTTP ${status}`);

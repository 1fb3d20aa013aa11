/** An event as lists and details have it. */
import type { Answer } from '../../api/client.ts';

export type Event = Answer<'listEvents'>['data'][number];
type Attempt = Answer<'getEvent'>['course'][number];

/** Of the cached lists: of an account, with its id behind, and of all. */
export const eventsKey = 'events';
export const allEventsKey = 'operator-events';

/** What an attempt met with: the answer's status, or why there was none. */
export const answerOf = ({ status, fault }: Attempt): string => (status === null ? (fault ?? '–') : `HTTP ${status}`);

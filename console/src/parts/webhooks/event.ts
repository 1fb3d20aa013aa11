/** An event as lists and details have it. */
import type { Answer } from '../../api/client.ts';

export type Event = Answer<'listEvents'>['data'][number];

/** Of the cached lists: of an account, with its id behind, and of all. */
export const eventsKey = 'events';
export const allEventsKey = 'operator-events';

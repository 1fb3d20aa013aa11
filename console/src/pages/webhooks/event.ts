/** An event as lists and details have it. */
import type { Answer } from '../../api/client.ts';

export type Event = Answer<'listEvents'>['data'][number];

/** Of the cached lists. */
export const eventsKey = 'events';

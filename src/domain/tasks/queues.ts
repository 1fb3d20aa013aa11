/** The task queue beside that of the workflows, by name alone, since workflows know no settings. */

/**
 * The background queue: webhook deliveries and clean-up, which no request waits for. Its slots are few; the workflows' own
 * queue has enough for every task, since each `collect` keeps its slot there for hours.
 */
export const backgroundQueue = (workflows: string): string => `${workflows}:background`;

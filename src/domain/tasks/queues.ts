/** The task queues beside that of the workflows, by name alone, since workflows know no settings. */

/**
 * The background queue: webhook deliveries and clean-up, which no request waits for. Its slots are few; the workflows' own
 * queue has enough for every task, since each `collect` keeps its slot there for hours.
 */
export const backgroundQueue = (workflows: string): string => `${workflows}:background`;

/**
 * The queue of batches: its slots are few, so that however many batches there are, a worker's time is for those who wait.
 */
export const batchQueue = (workflows: string): string => `${workflows}:batches`;

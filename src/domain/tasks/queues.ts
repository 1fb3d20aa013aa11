/** The task queue beside that of the workflows, by name alone, since workflows know no settings. */

/**
 * Of what may wait for its turn: webhook deliveries and clearing away. Their number at a time is bounded; on the
 * workflows' own queue nothing is, since each collecting of a result has its place there for hours.
 */
export const errandsQueue = (workflows: string): string => `${workflows}:errands`;

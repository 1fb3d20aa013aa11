/**
 * How tasks share a provider that many wait for. Temporal alternates between the accounts; within an account every task has
 * a weight. Ten tasks behind thousands of another account are sent within some twenty rate slots, and those that its workers
 * took ahead come on top.
 */

/** Up to so many unfinished tasks of a key have the full weight. */
const underWayMax = 100;
/** The weight of the tasks of a key that has more: not zero, so that nothing starves. */
const smallerWeight = 0.2;

/** Whether a task starts with priority, given how many unfinished tasks its key has. */
export const hasPriority = (underWay: number): boolean => underWay <= underWayMax;

/** Returns that task's fairness weight at a provider. */
export const fairnessWeight = (underWay: number): number => (hasPriority(underWay) ? 1 : smallerWeight);

/**
 * How large the turns are that a key's tasks take at a provider that many wait for. Accounts take turns; within one, keys do. With equal turns ten tasks
 * behind thousands of another account take some twenty slots, and those that its workers took ahead come on top.
 */

/** As many tasks of a key have full turns, however long they take. */
const underWayMax = 100;
/** Of the turns of a key that has more: it still gets them, so that nothing starves. */
const smallerWeight = 0.2;

/** Whether a task has a full turn, given how many unfinished tasks its key has. */
export const isOfFew = (underWay: number): boolean => underWay <= underWayMax;

/** The weight of that task's turn at a provider. */
export const turnWeight = (underWay: number): number => (isOfFew(underWay) ? 1 : smallerWeight);

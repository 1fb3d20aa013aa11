/** Texts that can be kept: PostgreSQL takes no NUL in a text and no half of a surrogate pair in JSON. */

const unkeepable = /[\0\p{Cs}]/gu;

/** The part of the rule that JSON Schema needs: what is no valid Unicode, JSON can't even say. */
export const withoutNul = '^[^\\u0000]*$';

/** Whether a text is valid Unicode without NUL. */
export const isKeepable = (text: string): boolean => text.search(unkeepable) === -1;

/** The text with U+FFFD in place of what can't be kept. For texts of upstreams, which can't be refused. */
export const keepable = (text: string): string => text.replace(unkeepable, '\uFFFD');

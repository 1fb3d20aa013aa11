/** To be written. */
import type { Call } from '../call.ts';

export const keyCalls: readonly Call[] = [];

/** To be written. */
import type { Call } from '../call.ts';

export const overviewCalls: readonly Call[] = [];

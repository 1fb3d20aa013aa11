/** To be written. */
import type { Call } from '../call.ts';

export const profileCalls: readonly Call[] = [];

/** To be written. */
import type { Call } from '../call.ts';

export const operatorAccountCalls: readonly Call[] = [];

/** Waiting to be asked to stop. */
import { printError } from './output.ts';

// Ctrl-C under npm arrives twice within milliseconds: from the terminal, and passed on by npm.
const sameWishMs = 500;

/**
 * Resolves at the first SIGINT or SIGTERM; a second one, later than an echo of the first, ends the process at once, after
 * printing what goes on without it.
 */
export function stopSignal(whatGoesOn?: string): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let firstAtMs: number | undefined;
    const heard = (signal: NodeJS.Signals) => {
      firstAtMs ??= performance.now();
      if (performance.now() - firstAtMs > sameWishMs) {
        if (whatGoesOn !== undefined) printError(whatGoesOn);
        process.exit(130);
      }
      resolve(signal);
    };
    process.on('SIGINT', heard).on('SIGTERM', heard);
  });
}

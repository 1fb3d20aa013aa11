/** How errors become failures where payloads are encrypted: message and stack are payloads too, and go the same way. */
import { DefaultFailureConverter } from '@temporalio/common';

/** Temporal's SDK loads this file by its path and looks for this name. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });

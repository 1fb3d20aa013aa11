/** The callers in a process of their own, so that their CPU time is not the gateway's: a load in, what they saw out. */
import { runCallers } from './callers.ts';
import { loadSchema } from './messages.ts';

process.on('message', (message) => {
  void runCallers(loadSchema.parse(message)).then((result) => process.send?.(result));
});
process.once('disconnect', () => process.exit());

/**
 * Loaded into the measured API before its own program: at each message it collects all garbage and answers what memory is
 * left. It does nothing else, and keeps no process alive. An inspector would need memory of its own.
 */
import { isMainThread } from 'node:worker_threads';

if (isMainThread && process.send) {
  process.on('message', () => {
    for (let times = 0; times < 3; times++) globalThis.gc(); // what has a finalizer goes the second time
    const { rss, heapUsed, external } = process.memoryUsage();
    process.send({ resident: rss, live: heapUsed + external });
  });
  process.channel.unref();
}

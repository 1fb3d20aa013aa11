/** What loading and starting have left behind, given back before the first request comes. */
import { type InspectorNotification, Session } from 'node:inspector';

const collect = 'HeapProfiler.collectGarbage';
/** A thread answers once it is not busy. */
const threadsTimeoutMs = 2_000;

/**
 * Collects all garbage, of this thread and of those that it started, and returns its memory to the system: tens of MB of a
 * gateway that has just started, which V8 would keep until it has as much to do. It takes 0.3 s, in most of which nothing
 * else runs. V8 offers this by its inspector only; `gc()` collects and keeps the memory.
 */
export async function returnMemory(): Promise<void> {
  const session = new Session();
  session.connect();
  await new Promise<void>((resolve) => {
    session.post(collect, () => resolve()); // without it there is more memory in use, and no harm
  });
  await collectInThreads(session);
  session.disconnect(); // here and not in the callback, where it hangs
}

/** Resolves when all threads have answered, or have had their time. */
function collectInThreads(session: Session): Promise<void> {
  const message = JSON.stringify({ id: 1, method: collect });
  const asked = new Set<string>();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, threadsTimeoutMs);
    const endIfAnswered = () => {
      if (asked.size > 0) return;
      clearTimeout(timer);
      resolve();
    };
    session.on('NodeWorker.attachedToWorker', ({ params }: InspectorNotification<{ sessionId: string }>) => {
      asked.add(params.sessionId);
      session.post('NodeWorker.sendMessageToWorker', { sessionId: params.sessionId, message });
    });
    session.on('NodeWorker.receivedMessageFromWorker', ({ params }: InspectorNotification<{ sessionId: string }>) => {
      asked.delete(params.sessionId);
      endIfAnswered();
    });
    session.post('NodeWorker.enable', { waitForDebuggerOnStart: false }, endIfAnswered); // all are attached by then
  });
}

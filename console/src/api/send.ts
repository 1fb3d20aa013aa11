/** Sends one request to the server, as every call of the console does, the typed client's and any other. */
import { ConsoleError, errorOfAnswer } from './error.ts';
import { serverIsAway } from './reachability.ts';
import { signInAgain, signInsSoFar } from './sign-in-again.ts';

const sessionPath = '/console/api/session';

/**
 * Sends it and returns a success. Where the session has ended, waits for a new sign-in and sends a clone of the very
 * request. Raises a ConsoleError for every other answer and for none; an abort is passed on as it is.
 */
export async function send(request: Request): Promise<Response> {
  const spare = request.clone(); // a body can be read once
  const sentAfter = signInsSoFar();
  const answer = await reach(request);
  if (answer.ok) return answer;
  const error = await errorOfAnswer(answer);
  serverIsAway.set(error.isAway);
  if (error.code !== 'not_signed_in' || new URL(request.url).pathname === sessionPath) throw error;
  await signInAgain(sentAfter);
  return send(spare);
}

async function reach(request: Request): Promise<Response> {
  try {
    const answer = await fetch(request);
    serverIsAway.set(false);
    return answer;
  } catch (error) {
    if (request.signal.aborted) throw error;
    serverIsAway.set(true);
    throw new ConsoleError("The server can't be reached.", { code: 'unreachable', status: 0, cause: error });
  }
}

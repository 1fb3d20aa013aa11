/** Who is signed in: read once, kept until the next sign-in or sign-out, and passed to the other tabs. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, queryClient, type Answer } from './client.ts';
import { toConsoleError } from './error.ts';
import { signedInAgain } from './sign-in-again.ts';

export type Session = Answer<'getSession'>;

const tabs = new BroadcastChannel('tollgate.session');

/** null: not signed in. */
const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: readSession,
  staleTime: Infinity,
  gcTime: Infinity,
});

export const useSessionQuery = () => useQuery(sessionQuery);

/** The session below the shell, which shows nothing without one. */
export function useSession(): Session {
  const { data } = useSessionQuery();
  if (!data) throw new TypeError('this page is shown to people who are signed in only');
  return data;
}

/** Signs in. A different person than before gets a fresh page, since the present one shows the other's data. */
export async function signIn(email: string, password: string): Promise<void> {
  const { data } = await api.POST('/console/api/session', { body: { email, password } });
  if (data) beginSession(data);
}

/** Takes over a session that an answer has just opened. */
export function beginSession(session: Session): void {
  tabs.postMessage(session.person.id);
  takeOver(session.person.id);
  queryClient.setQueryData(sessionQuery.queryKey, session);
}

/** Signs out here and in all tabs, and forgets what was read. */
export async function signOut(): Promise<void> {
  try {
    await api.DELETE('/console/api/session');
  } catch (error) {
    if (toConsoleError(error).code !== 'not_signed_in') throw error; // it had ended already
  }
  tabs.postMessage(null);
  leave();
}

/** Goes to the sign-in page with nothing kept in memory. */
export function leave(): void {
  window.location.assign('/console/sign-in');
}

/** Reads the session again, after something of it has changed, such as the name of an account. */
export const refreshSession = (): Promise<void> => queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });

async function readSession(): Promise<Session | null> {
  try {
    return (await api.GET('/console/api/session')).data ?? null;
  } catch (error) {
    if (toConsoleError(error).code === 'not_signed_in') return null;
    throw error;
  }
}

function takeOver(personId: string): void {
  const before = queryClient.getQueryData(sessionQuery.queryKey);
  if (before && before.person.id !== personId) window.location.reload();
  else signedInAgain();
}

tabs.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  if (typeof data === 'string') takeOver(data);
  else if (queryClient.getQueryData(sessionQuery.queryKey)) leave();
});

/** Whether the last call reached the server. */
import { createStore } from './store.ts';

/** Set by every call; the banner follows it, and asks by itself until the server is back. */
export const serverIsAway = createStore(false);

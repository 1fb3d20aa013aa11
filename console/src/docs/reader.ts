/** What the reader chose for the whole page. It lives in memory only: a key is never stored. */
import { createContext, useContext } from 'react';
import type { SampleLanguage } from './samples.ts';
import type { SessionAccount } from './session.ts';

export interface Reader {
  /** The API key; empty before one is given. */
  key: string;
  /** In place of a key: the accounts of the console's session, and which of them pays. */
  session?: { accounts: readonly SessionAccount[]; account: string } | undefined;
  language: SampleLanguage;
  /** The deployment's root that samples and requests go to. */
  root: string;
}

export interface ReaderChoices extends Reader {
  change: (changes: Partial<Reader>) => void;
}

export const ReaderContext = createContext<ReaderChoices>({
  key: '',
  language: 'curl',
  root: '',
  change: () => undefined,
});
export const useReader = (): ReaderChoices => useContext(ReaderContext);

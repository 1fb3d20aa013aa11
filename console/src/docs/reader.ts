/** What the reader chose for the whole page. It lives in memory only: a key is never stored. */
import { createContext, useContext } from 'react';
import type { SampleLanguage } from './samples.ts';

export interface Reader {
  key: string;
  language: SampleLanguage;
  change: (changes: Partial<Pick<Reader, 'key' | 'language'>>) => void;
}

export const ReaderContext = createContext<Reader>({ key: '', language: 'curl', change: () => undefined });
export const useReader = (): Reader => useContext(ReaderContext);

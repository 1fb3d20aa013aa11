/** Light or dark: chosen, else as the system has it, and following it. */
import { createStore, useStore } from '../api/store.ts';

export type SchemeChoice = 'system' | 'light' | 'dark';

const storageKey = 'tollgate.scheme';
const systemIsDark = window.matchMedia('(prefers-color-scheme: dark)');

const choice = createStore(storedChoice());
const isDark = createStore(darkNow());

systemIsDark.addEventListener('change', apply);
apply();

export const useSchemeChoice = (): SchemeChoice => useStore(choice);
export const useIsDark = (): boolean => useStore(isDark);

export function chooseScheme(next: SchemeChoice): void {
  if (next === 'system') localStorage.removeItem(storageKey);
  else localStorage.setItem(storageKey, next);
  choice.set(next);
  apply();
}

function apply(): void {
  isDark.set(darkNow());
  document.documentElement.dataset['scheme'] = isDark.get() ? 'dark' : 'light';
}

function darkNow(): boolean {
  return choice.get() === 'system' ? systemIsDark.matches : choice.get() === 'dark';
}

function storedChoice(): SchemeChoice {
  const stored = localStorage.getItem(storageKey);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

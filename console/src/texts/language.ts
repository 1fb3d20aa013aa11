/** The reader's language: chosen, else the browser's. Everything that has one follows: `<html lang>`, antd. */
import i18next from 'i18next';
import { initReactI18next, useTranslation } from 'react-i18next';
import type { Language } from './define-texts.ts';

const storageKey = 'tollgate.language';

void i18next.use(initReactI18next).init({
  lng: languageOfReader(),
  fallbackLng: 'en',
  resources: {},
  initAsync: false,
  interpolation: { escapeValue: false }, // React escapes
  react: { useSuspense: false },
});
i18next.on('languageChanged', follow);
follow();

export function chooseLanguage(language: Language): void {
  localStorage.setItem(storageKey, language);
  void i18next.changeLanguage(language);
}

export function useLanguage(): Language {
  return parsed(useTranslation().i18n.language);
}

/** For `Intl`: the reader's own form of the language, such as `en-GB`, where the browser names one. */
export function localeOf(language: Language): string {
  return navigator.languages.find((tag) => parsed(tag) === language) ?? (language === 'zh' ? 'zh-CN' : 'en');
}

function languageOfReader(): Language {
  const chosen = localStorage.getItem(storageKey);
  if (chosen === 'zh' || chosen === 'en') return chosen;
  const known = navigator.languages.find((tag) => /^(zh|en)\b/i.test(tag));
  return parsed(known ?? 'en');
}

function follow(): void {
  document.documentElement.lang = parsed(i18next.language) === 'zh' ? 'zh-CN' : 'en';
}

function parsed(tag: string): Language {
  return /^zh\b/i.test(tag) ? 'zh' : 'en';
}

/** The texts of a page or part: a namespace with both languages, in the chunk of what shows them. */
import i18next from 'i18next';
import { useTranslation } from 'react-i18next';
import type { Entries, Say } from './say.ts';
import './language.ts'; // texts can be added once i18next has begun

export type { Language, Say } from './say.ts';

/** Chinese has one form for all numbers, so `…_one` needs no translation. */
type Translated<En extends Entries> = Readonly<Record<Exclude<keyof En, `${string}_one`>, string>>;
type NoMore<Given, Wanted> = Given & Record<Exclude<keyof Given, keyof Wanted>, never>;

export interface Texts<En extends Entries> {
  readonly namespace: string;
  readonly en: En;
}

/**
 * Makes texts known under a namespace. `{{name}}` stands for a value; `x_one` and `x_other` are the forms of `x` by its
 * value `count`. A key without its Chinese is a type error, and so is one that only Chinese has.
 */
export function defineTexts<const En extends Entries, const Zh extends Translated<En>>(
  namespace: string,
  { en, zh }: { en: En; zh: NoMore<Zh, En> },
): Texts<En> {
  i18next.addResourceBundle('en', namespace, en);
  i18next.addResourceBundle('zh', namespace, zh);
  return { namespace, en };
}

/** `const say = useTexts(texts)`, then `say('title')`. */
export function useTexts<En extends Entries>({ namespace }: Texts<En>): Say<En> {
  const { t } = useTranslation(namespace);
  return (key, ...[values]) => t(String(key), { ...values });
}

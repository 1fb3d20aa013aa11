/** What an audit has checked, as a sentence. */
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import { texts } from './texts.ts';

/** Returns "Checked: entries (1,204) and tasks (17)."; an unknown name stays as the server has it. */
export function useLookedText(): (looked: Readonly<Record<string, number>>) => string {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  const numbers = new Intl.NumberFormat(locale);
  return (looked) => {
    const parts = Object.entries(looked)
      .filter(([, count]) => count > 0)
      .map(([name, count]) =>
        say('lookedAt', { name: isKnown(name) ? say(names[name]) : name, count: numbers.format(count) }),
      );
    return say('looked', { parts: new Intl.ListFormat(locale, { type: 'conjunction' }).format(parts) });
  };
}

/** By what the server calls them. */
const names = {
  entries: 'entries',
  holds: 'holds',
  accounts: 'accounts',
  'accounts and keys': 'accountsAndKeys',
  keys: 'keys',
  people: 'people',
  tasks: 'tasks',
  acts: 'acts',
  workflows: 'workflows',
  anchors: 'anchors',
  'charges of tasks': 'chargesOfTasks',
  'charges of calls': 'chargesOfCalls',
  costs: 'costs',
  'blobs in the store': 'blobs',
  'blobs that rows name': 'blobNames',
  'tasks compared with workflows': 'tasksCompared',
  'tasks older than Temporal remembers': 'tasksForgotten',
} as const;

const isKnown = (name: string): name is keyof typeof names => Object.hasOwn(names, name);

/**
 * Puts texts that the gateway says in English into another language by a table of sentences. `{{name}}` in a sentence stands
 * for what differs, such as a limit or a status. A text that the table doesn't have as a whole is put together of its sentences.
 */

/** The text in the other language; undefined where the table lacks a part of it. */
export type Translate = (text: string) => string | undefined;

export function translatorOf(table: Readonly<Record<string, string>>): Translate {
  const known = new Map(Object.entries(table));
  const forms = [...known].filter(([english]) => english.includes('{{')).map(formOf);
  const whole = (text: string): string | undefined => known.get(text) ?? filled(forms, text) ?? listed(known, text);
  const translate = (text: string): string | undefined => {
    if (/^[a-z_]*$/.test(text)) return text; // an error's code, or nothing
    const found = whole(text);
    if (found !== undefined) return found;
    // The longest beginning that is known, and the rest.
    for (let end = text.lastIndexOf('. '); end > 0; end = text.lastIndexOf('. ', end - 1)) {
      const head = whole(text.slice(0, end + 1));
      const rest = head === undefined ? undefined : translate(text.slice(end + 2));
      if (head !== undefined && rest !== undefined) return head + rest;
    }
    return undefined;
  };
  return translate;
}

interface Form {
  pattern: RegExp;
  names: readonly string[];
  translation: string;
}

const placeholder = /\{\{(\w+)\}\}/g;

function formOf([english, translation]: readonly [string, string]): Form {
  const names = [...english.matchAll(placeholder)].map(([, name = '']) => name);
  const literals = english.split(/\{\{\w+\}\}/).map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return { pattern: new RegExp(`^${literals.join('(.+?)')}$`), names, translation };
}

function filled(forms: readonly Form[], text: string): string | undefined {
  for (const { pattern, names, translation } of forms) {
    const values = pattern.exec(text)?.slice(1);
    if (values) return translation.replace(placeholder, (_, name: string) => values[names.indexOf(name)] ?? '');
  }
  return undefined;
}

/** `` `invalid_json`, `missing_parameter`, an upstream's refusal in its own words. `` */
function listed(known: ReadonlyMap<string, string>, text: string): string | undefined {
  if (!text.endsWith('.')) return undefined;
  const items = text.slice(0, -1).split(', ');
  const translated = items.map((item) => (/^`[a-z_]+`$/.test(item) ? item : known.get(item)));
  return translated.includes(undefined) ? undefined : `${translated.join('、')}。`;
}

/** Strikes secrets out of a text by their form, and those that this process knows by their value. */

/** Shorter ones would be found in innocent words. */
const knownCharactersMin = 8;

/** What each is replaced by keeps enough to see what stood there. */
const forms: readonly (readonly [form: RegExp, instead: string])[] = [
  [/\bsk-tg-[A-Za-z0-9_-]+/g, 'sk-tg-…'],
  [/\bwhsec_[A-Za-z0-9+/=_-]+/g, 'whsec_…'],
  [/\b(bearer|basic)\s+[A-Za-z0-9._~+/=:-]{6,}/gi, '$1 …'],
  // User and password of an address.
  [/(\b[a-z][a-z0-9+.-]{1,15}:\/\/)[^\s"'\\<>/@]*@/gi, '$1…@'],
];
/**
 * Addresses, and paths of ours, whose queries sign: of links, hooks and stores of files. With or without a query, so that each
 * look takes all that it has looked at: callers choose paths, and one of 16 KiB would else be searched from each slash on.
 */
const addresses: readonly RegExp[] = [
  /(\b[a-z][a-z0-9+.-]{1,15}:\/\/[^\s"'\\<>?]*)(\?[^\s"'\\<>]*)?/gi,
  /(\/(?:files|hooks)\/[^\s"'\\<>?]*)(\?[^\s"'\\<>]*)?/g,
];
const withoutQuery = (_: string, head: string, query: string | undefined) => (query === undefined ? head : `${head}?…`);
/** Most lines have none of it, and cost this one look. */
const suspicious = /sk-tg-|whsec_|bearer\s|basic\s|:\/\/|\/(?:files|hooks)\//i;

/** Masks texts. What becomes known later, by a new configuration, is struck out from then on. */
export class Mask {
  readonly #values = new Set<string>();
  #known: RegExp | undefined;

  constructor(secrets: readonly string[] = []) {
    this.know(secrets);
  }

  /** Strikes these values out, too, wherever they turn up. */
  know(secrets: readonly string[]): void {
    for (const secret of secrets) {
      // As they are, and as JSON writes them.
      if (secret.length >= knownCharactersMin) this.#values.add(secret).add(JSON.stringify(secret).slice(1, -1));
    }
    if (this.#values.size > 0) this.#known = new RegExp([...this.#values].map(literally).join('|'), 'g');
  }

  /** The text without secrets; safe on a line of JSON, of which it leaves the form alone. */
  readonly applied = (text: string): string => {
    const without = this.#known ? text.replace(this.#known, '[removed]') : text;
    if (!suspicious.test(without)) return without;
    const formless = forms.reduce((left, [form, instead]) => left.replace(form, instead), without);
    return addresses.reduce((left, address) => left.replace(address, withoutQuery), formless);
  };
}

const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');

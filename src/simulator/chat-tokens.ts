/** The simulator's notion of a token: a word with the space behind it, or a single Chinese or Japanese character. */

const form =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+\s*|\s+/gu;

/** The tokens of a text; joined they are the text. */
export const tokensOf = (text: string): string[] => text.match(form) ?? [];

/** The tokens of JSON, which may have no spaces: they end at commas and colons, too. */
export const jsonTokensOf = (text: string): string[] => text.match(/[^\s,:]+[\s,:]*|[\s,:]+/g) ?? [];

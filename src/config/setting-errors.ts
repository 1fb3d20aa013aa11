/** Mistakes in the settings: gathered, reported all at once, and never with a value in them that could be a secret. */

/** The settings can't be used. Each line names the place and says what is allowed there. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    const distinct = [...new Set(lines)];
    const heading = distinct.length === 1 ? 'Invalid settings' : `Invalid settings (${distinct.length} errors)`;
    super(`${heading}:\n  ${distinct.join('\n  ')}`);
    this.lines = distinct;
  }
}

/** The message of a zod schema: `must be …`, and that the value is missing where there is none. */
export const must = (rule: string) => ({
  error: (issue: { readonly input?: unknown }) => ruleMessage(rule, issue.input),
});

/** What `must` says of one value. */
export const ruleMessage = (rule: string, input: unknown): string =>
  input === undefined ? `is missing: it must ${rule}` : `must ${rule}`;

/** A copy without the keys whose value is undefined, as `exactOptionalPropertyTypes` asks for. */
export function present<T extends object>(value: T): Present<T> {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as Present<T>;
}

type OptionalKeys<T> = { [K in keyof T]-?: undefined extends T[K] ? K : never }[keyof T];
export type Present<T> = { [K in Exclude<keyof T, OptionalKeys<T>>]: T[K] } & {
  [K in OptionalKeys<T>]?: Exclude<T[K], undefined>;
};

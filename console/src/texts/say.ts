/** The types of texts: which keys there are, and which values each takes. Without code, so that what runs outside of a browser can name them. */

export type Language = 'en' | 'zh';

export type Entries = Readonly<Record<string, string>>;
type Key<Name> = Name extends `${infer Base}_one` ? Base : Name extends `${infer Base}_other` ? Base : Name;
type Names<Text> = Text extends `${string}{{${infer Name}}}${infer Rest}` ? Name | Names<Rest> : never;
type Spelled<En extends Entries, K> = {
  [Name in keyof En]: Name extends K | `${K & string}_other` ? En[Name] : never;
}[keyof En];
type Values<En extends Entries, K> = [Names<Spelled<En, K>>] extends [never]
  ? []
  : [values: Readonly<Record<Names<Spelled<En, K>>, string | number>>];

/** Says a text of the namespace in the reader's language; takes exactly the values that its English form names. */
export type Say<En extends Entries> = <K extends Key<keyof En>>(key: K, ...values: Values<En, K>) => string;

/** What an answer says of itself, as far as that is billed or kept with its entry; read once it is over. */
import type { JsonObject } from '../json/json-object.ts';

export interface AnswerStatement {
  id: string | undefined;
  /** The service tier that it was given. */
  tier: string | undefined;
  /** Its usage as it came; undefined where it is absent or without its whole counts. */
  usage: JsonObject | undefined;
  /** Of messages that broke off before their output was counted: what their beginning said of the prompt, in the same form. */
  promptUsage?: JsonObject;
  /** Calls of hosted tools that are seen in the answer, by the tools' names; only where they were looked for. */
  toolCalls: Readonly<Record<string, number>>;
}

export const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

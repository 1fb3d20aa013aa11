/** One call of an operation by example: what its samples in every language are made of. */
import type { Operation } from './document.ts';
import { isRecord } from '../parts/json.ts';

/** What a sample is made of. */
export interface Call {
  origin: string;
  operation: Operation;
  /** With the values that the document gives for an example. */
  path: string;
  /** What is sent, if anything is. */
  body?: { type: string; value: unknown };
  isStream: boolean;
  /** The type of the file that may be answered. */
  file?: string;
}

/** The OpenAI SDKs' own methods, by the operation's name; what is not here is called by its path. */
const sdkMethods: Readonly<Record<string, string>> = {
  createChatCompletion: 'chat.completions.create',
  createResponse: 'responses.create',
  getResponse: 'responses.retrieve',
  deleteResponse: 'responses.delete',
  cancelResponse: 'responses.cancel',
  listModels: 'models.list',
  getModel: 'models.retrieve',
};

/** `models.list` of `listModels`; none where the SDKs have no method of their own. */
export const sdkMethodOf = ({ baseId }: Operation): string | undefined => sdkMethods[baseId];

/** The parts of a form; a name with an ending is a file's. */
export function formParts(value: unknown): { name: string; value: string; isFile: boolean }[] {
  if (!isRecord(value)) return [];
  return Object.entries(value).map(([name, part]) => {
    const text = typeof part === 'string' ? part : JSON.stringify(part);
    return { name, value: text, isFile: /^[\w-]+\.(wav|mp3|mp4|png|jsonl)$/.test(text) };
  });
}

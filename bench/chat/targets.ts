/** What the chat benchmark measures: where it is reached, and which processes' time counts. */
import type { Part } from '../processes.ts';

export interface Target {
  name: string;
  /** With version, for the table. */
  title: string;
  /** Where calls are sent, with no path. */
  url: string;
  model: string;
  /** Asks an upstream of chat for messages; a target without one passes messages on. */
  translatedModel?: string;
  /** Of embeddings, where they have a model of their own. */
  embeddingModel?: string;
  headers: Record<string, string>;
  /** The root of its tree of processes. */
  pid: number;
  /** What is compared with the floor. Temporal serves no chat, so the gateway's `rest` is shown but not counted. */
  counted: readonly Part[];
  /** The name of the floor that it is compared with. */
  floor: string;
  /** The name of the same on the first Node. */
  twin?: string;
  /** Scenarios that are far beyond what it can carry. */
  skipped: readonly string[];
  stop: () => Promise<void>;
}

/** Ready-made parts of a target that is a plain server with nothing to leave out, beside the first floor. */
export const plain = {
  model: 'mock',
  headers: {},
  counted: ['own', 'postgres', 'rest'],
  floor: 'floor',
  skipped: [],
} as const;

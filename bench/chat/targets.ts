/** What the chat benchmark measures: where it is reached, and which processes' time counts. */
import type { Part } from '../processes.ts';

export interface Target {
  name: string;
  /** With version, for the table. */
  title: string;
  /** Where calls are sent. */
  url: string;
  model: string;
  headers: Record<string, string>;
  /** The root of its tree of processes. */
  pid: number;
  /** What is compared with the floor. Temporal serves no chat, so the gateway's `rest` is shown but not counted. */
  counted: readonly Part[];
  /** Scenarios that are far beyond what it can carry. */
  skipped: readonly string[];
  stop: () => Promise<void>;
}

/** Ready-made parts of a target that is a plain server with nothing to leave out. */
export const plain = { model: 'mock', headers: {}, counted: ['own', 'postgres', 'rest'], skipped: [] } as const;

export const pathOfChat = '/v1/chat/completions';

/** What the tests know of a coding agent: how it is installed, started and led, and what it prints when refused. */
import type { Environment } from '../../support/process.ts';

export interface Agent {
  name: string;
  /** At an exact version: of npm as `name@version`, of PyPI as `name==version`. */
  package: string;
  /** The name of the program that the package brings. */
  program: string;
  /** The simulator's words that have it read the greeting, put `Hello` where it has `Helo`, and say `All fixed.` */
  script(greeting: string): string;
  /** Writes what settings it has in files, and returns how it is started with a prompt. */
  settle(place: Workplace, prompt: string): Promise<{ args: string[]; env: Environment }>;
  /** The end of the path of the calls that cost something. */
  path: string;
  /** Whether it speaks a form that a model with chat alone has to be translated for. */
  isTranslated: boolean;
  /** What it prints where the gateway refuses a call. */
  says: { readonly noMoney: RegExp; readonly noModel: RegExp; readonly limitSpent: RegExp };
}

/** What an agent is given to work with, each time new. */
export interface Workplace extends ModelAccess {
  /** Its home: what it keeps of its own. */
  home: string;
  /** A folder with the file to fix. */
  project: string;
  /** The path of that file. */
  greeting: string;
}

export interface ModelAccess {
  /** Of the gateway, without a root. */
  url: string;
  key: string;
  model: string;
}

/** What the simulator says last. */
export const lastWords = '[sim:say="All fixed."]';

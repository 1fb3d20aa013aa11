/** A provider kind as the registry holds it: what the settings must know of it, and how its adapters are made. */
import type { Readable } from 'node:stream';
import type { ProviderSettings } from '../domain/catalogue.ts';
import type { ProviderKind } from '../domain/provider-kinds.ts';
import type { ChatProvider } from './chat-contract.ts';
import type { TaskProvider } from './contract.ts';

export interface ProviderDefinition extends ProviderKind {
  /** The adapter for models of kind image, video and avatar; with it for each of these that `serves` lists. */
  tasks?: (settings: ProviderSettings, tools: ProviderTools) => TaskProvider;
  /** The adapter for models of kind chat and code. */
  chat?: (settings: ProviderSettings) => ChatProvider;
}

/** What adapters are lent by the process that they run in. */
export interface ProviderTools {
  /** Fetches a file that a caller named, with every guard; `param` is its name in a refusal. */
  fetchFile: (url: string, param: string) => Promise<Readable>;
  /** Downloads a file that a provider's answer named, with every guard; whatever is wrong is `upstream_error`. */
  fetchResult: (url: string, signal: AbortSignal) => Promise<Readable>;
  /** A folder for files that are needed while a job is worked on. */
  tempDir: string;
}

/** A credential that the settings have checked. Throws for one that the kind doesn't declare as required. */
export function secretOf({ name, secrets }: Pick<ProviderSettings, 'name' | 'secrets'>, key: string): string {
  const secret = secrets[key];
  if (secret === undefined) throw new TypeError(`providers.${name} has no ${key}`);
  return secret;
}

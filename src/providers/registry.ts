/** The registry of adapters: one line a provider kind. */
import type { Readable } from 'node:stream';
import type { ProviderKind, ProviderSettings } from '../domain/catalogue.ts';
import type { TaskProvider } from './contract.ts';
import { createSimulator } from './simulator/simulator.ts';

/** What adapters are lent by the process that they run in. */
export interface ProviderTools {
  /** Fetches a file that a caller named, with every guard; `param` is the name under which a refusal tells of it. */
  fetchFile: (url: string, param: string) => Promise<Readable>;
  /** A folder for files that are needed while a job is worked on. */
  tempDir: string;
}

const adapters: Partial<Record<ProviderKind, (settings: ProviderSettings, tools: ProviderTools) => TaskProvider>> = {
  simulator: createSimulator,
};

/** The kinds of provider that this version has an adapter for. */
export const availableKinds = Object.keys(adapters) as ProviderKind[];

/** Makes the adapter of each configured provider; throws for a kind that this version has none for. */
export function createProviders(
  settings: ReadonlyMap<string, ProviderSettings>,
  tools: ProviderTools,
): Map<string, TaskProvider> {
  return new Map(
    [...settings].map(([name, provider]) => {
      const create = adapters[provider.kind];
      if (!create)
        throw new Error(
          `providers.${name}: this version has no adapter for '${provider.kind}', only for ${availableKinds.join(', ')}`,
        );
      return [name, create(provider, tools)];
    }),
  );
}

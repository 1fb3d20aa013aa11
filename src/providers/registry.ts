/** The registry of adapters: one line a provider kind, for each of the two contracts. */
import type { Readable } from 'node:stream';
import type { Model, ModelKind, ProviderKind, ProviderSettings } from '../domain/catalogue.ts';
import type { ChatProvider } from './chat-contract.ts';
import type { TaskProvider } from './contract.ts';
import { createOpenAiChat } from './openai/openai.ts';
import { createSimulatorChat } from './simulator/chat.ts';
import { createSimulator } from './simulator/simulator.ts';

/** What adapters are lent by the process that they run in. */
export interface ProviderTools {
  /** Fetches a file that a caller named, with every guard; `param` is the name under which a refusal tells of it. */
  fetchFile: (url: string, param: string) => Promise<Readable>;
  /** A folder for files that are needed while a job is worked on. */
  tempDir: string;
}

type Kinds<T> = Partial<Record<ProviderKind, T>>;

const taskAdapters: Kinds<(settings: ProviderSettings, tools: ProviderTools) => TaskProvider> = {
  simulator: createSimulator,
};

const chatAdapters: Kinds<(settings: ProviderSettings) => ChatProvider> = {
  openai: createOpenAiChat,
  simulator: createSimulatorChat,
};

/** The task adapters of the configured providers that have one. */
export const createTaskProviders = (
  settings: ReadonlyMap<string, ProviderSettings>,
  tools: ProviderTools,
): Map<string, TaskProvider> => made(settings, taskAdapters, (create, provider) => create(provider, tools));

/** The chat adapters of the configured providers that have one. */
export const createChatProviders = (settings: ReadonlyMap<string, ProviderSettings>): Map<string, ChatProvider> =>
  made(settings, chatAdapters, (create, provider) => create(provider));

/** Routes that this version has no adapter for, a line each; none for a configuration that it can serve. */
export function routesWithoutAdapter(
  models: Iterable<Model>,
  providers: ReadonlyMap<string, ProviderSettings>,
): string[] {
  return [...models].flatMap(({ id, kind, routes }) =>
    routes.flatMap((route) => {
      const provider = providers.get(route.provider)?.kind;
      const adapters = isChat(kind) ? chatAdapters : taskAdapters;
      return provider !== undefined && adapters[provider] === undefined
        ? [`models '${id}': this version can't run ${kind} models on a provider of kind '${provider}'`]
        : [];
    }),
  );
}

const isChat = (kind: ModelKind): boolean => kind === 'chat' || kind === 'code';

function made<Create, Made>(
  settings: ReadonlyMap<string, ProviderSettings>,
  adapters: Kinds<Create>,
  make: (create: Create, provider: ProviderSettings) => Made,
): Map<string, Made> {
  const providers = new Map<string, Made>();
  for (const [name, provider] of settings) {
    const create = adapters[provider.kind];
    if (create) providers.set(name, make(create, provider));
  }
  return providers;
}

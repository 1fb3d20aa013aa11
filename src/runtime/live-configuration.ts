/**
 * The configuration in force and the adapters made from it; a reload replaces both at once, or changes nothing. Adapters
 * of unchanged providers stay. What is replaced is closed when the work that may hold it is over, and the providers that
 * were removed go on for tasks until none is left.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { ProviderSettings } from '../domain/catalogue.ts';
import type { ChatProvider } from '../providers/chat-contract.ts';
import type { TaskProvider } from '../providers/contract.ts';
import type { Configuration } from '../config/configuration.ts';
import { SettingsError } from '../config/setting-errors.ts';
import type { Database } from '../postgres/database.ts';
import { providersInUse } from '../tasks/rows/providers-in-use.ts';
import { changesBetween, refusalsOf, unchangeable } from './configuration-changes.ts';
import { type Layer, wrapProvider } from './provider-calls/wrap-provider.ts';
import { UnderWay } from './work-in-progress.ts';

/**
 * How long a removed provider is kept at least. Requests that began before, and API processes that reload a little
 * later, may still bring tasks for it.
 */
const leaving_ms = 60_000;

type Named<T> = ReadonlyMap<string, T>;

/** What one reload puts in the place of the other, as a whole. */
export interface InForce {
  configuration: Configuration;
  chatProviders: Named<ChatProvider>;
}

/** A part that has to act on a reload. */
export interface Follower {
  /** Before it: providers with tasks are added. What fails here refuses the reload. */
  begin?(providers: readonly string[]): Promise<void>;
  /** After it. Must not fail. */
  replaced?(): Promise<void>;
  /** No task needs this removed provider any more; or a reload that was to add it was refused. */
  end?(provider: string): Promise<void>;
}

export interface LiveTools {
  database: Database;
  makeTasks: (settings: Named<ProviderSettings>) => Named<TaskProvider>;
  makeChat: (settings: Named<ProviderSettings>) => Named<ChatProvider>;
  /** What is done around each call to a task provider; the first is the outermost. */
  layersOf?: (provider: string) => readonly Layer<TaskProvider>[];
  log: Logger;
  /** Tests make it short. */
  leavingMs?: number;
}

/** What tasks hold on to of a provider whose adapter a reload replaces. */
interface Adapter {
  current: TaskProvider;
}

interface TaskEntry {
  settings: ProviderSettings;
  adapter: Adapter;
  /** It was removed, and is kept until no task needs it. */
  leaving?: NodeJS.Timeout | undefined;
}

export class LiveConfiguration {
  /** By name; one map for life. Those that leave are in it as long as tasks may need them. */
  readonly providers: Named<TaskProvider>;
  readonly #underWay = new UnderWay();
  readonly #tools: LiveTools;
  readonly #taskProviders = new Map<string, TaskProvider>();
  readonly #tasks = new Map<string, TaskEntry>();
  readonly #followers = new Set<Follower>();
  /** All adapters that are not closed. */
  readonly #open = new Set<TaskProvider | ChatProvider>();
  #now: InForce;
  /** Reloads and departures come one after the other. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(configuration: Configuration, tools: LiveTools) {
    this.#tools = tools;
    this.providers = this.#taskProviders;
    this.#now = { configuration, chatProviders: tools.makeChat(configuration.providers) };
    for (const chat of this.#now.chatProviders.values()) this.#open.add(chat);
    for (const [name, provider] of tools.makeTasks(configuration.providers)) {
      this.#setTask(configuration, name, { current: provider });
    }
  }

  /** What is in force now. A request reads it once and keeps it to its end. */
  get now(): InForce {
    return this.#now;
  }

  /** Runs work whose adapters must not be closed before it is over. */
  get during(): UnderWay['during'] {
    return this.#underWay.during;
  }

  /** The settings of a provider that tasks may be on, one that leaves included. */
  settingsOf(provider: string): ProviderSettings | undefined {
    return this.#tasks.get(provider)?.settings;
  }

  /** Returns a function that ends it. */
  follow(follower: Follower): () => void {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  /**
   * Puts a configuration in force and returns a text of what it changes. Throws a SettingsError for what can't change while
   * tasks run; whatever it throws, everything is as it was.
   */
  replace(next: Configuration): Promise<string> {
    return this.#runInOrder(() => this.#replace(next));
  }

  /** After all work is over. */
  async close(): Promise<void> {
    await this.#turn;
    for (const { leaving } of this.#tasks.values()) clearInterval(leaving);
    for (const adapter of [...this.#open]) await this.#close(adapter);
  }

  async #replace(next: Configuration): Promise<string> {
    const { configuration: before, chatProviders } = this.#now;
    const inUse = await providersInUse(this.#tools.database, this.#departures(next));
    const mistakes = [...unchangeable(before, next), ...refusalsOf(inUse, next)];
    if (mistakes.length > 0) throw new SettingsError(mistakes);

    const changedTasks = only(next.providers, (name) => this.#tasks.get(name)?.settings);
    const changedChat = only(next.providers, (name) => before.providers.get(name));
    const tasks = this.#tools.makeTasks(changedTasks);
    const chat = this.#tools.makeChat(changedChat);
    const added = [...tasks.keys()].filter((name) => !this.#tasks.has(name));
    await this.#begin(added, [...tasks.values(), ...chat.values()]);

    // From here on nothing waits and nothing fails until all is replaced.
    const replaced: (TaskProvider | ChatProvider | undefined)[] = [];
    for (const [name, provider] of tasks) {
      const entry = this.#tasks.get(name);
      replaced.push(entry?.adapter.current);
      const adapter = entry?.adapter ?? { current: provider };
      adapter.current = provider;
      this.#setTask(next, name, adapter);
    }
    for (const [name, entry] of this.#tasks) {
      const stays = next.providers.has(name) && (tasks.has(name) || !changedTasks.has(name));
      if (stays) this.#stay(entry);
      else this.#leave(name, entry);
    }
    const kept = [...chatProviders].filter(([name]) => next.providers.has(name) && !changedChat.has(name));
    const dropped = [...chatProviders].filter(([name]) => !next.providers.has(name) || changedChat.has(name));
    replaced.push(...dropped.map(([, provider]) => provider));
    for (const provider of chat.values()) this.#open.add(provider);
    this.#now = { configuration: next, chatProviders: new Map([...kept, ...chat]) };
    this.#closeWhenOver(replaced);
    for (const follower of this.#followers) await follower.replaced?.();
    return changesBetween(before, next);
  }

  /** The providers that no task may need if this configuration is to be in force. */
  #departures(next: Configuration): string[] {
    return [...this.#tasks].flatMap(([name, { settings, leaving }]) => {
      const wanted = next.providers.get(name);
      const isDeparture = wanted === undefined ? leaving === undefined : wanted.kind !== settings.kind;
      return isDeparture ? [name] : [];
    });
  }

  /** Prepares all followers for the new providers, or none. */
  async #begin(added: readonly string[], made: readonly (TaskProvider | ChatProvider)[]): Promise<void> {
    if (added.length === 0) return;
    try {
      for (const follower of this.#followers) await follower.begin?.(added);
    } catch (error) {
      for (const name of added) await this.#end(name);
      for (const adapter of made) await this.#close(adapter);
      throw error;
    }
  }

  async #end(name: string): Promise<void> {
    for (const follower of this.#followers) await follower.end?.(name);
  }

  #setTask({ providers }: Configuration, name: string, adapter: Adapter): void {
    const settings = providers.get(name);
    if (!settings) throw new TypeError(`an adapter was made for ${name}, which is not configured`);
    clearInterval(this.#tasks.get(name)?.leaving);
    this.#open.add(adapter.current);
    this.#tasks.set(name, { settings, adapter });
    const layers = this.#tools.layersOf?.(name) ?? [];
    this.#taskProviders.set(
      name,
      wrapProvider(() => adapter.current, layers),
    );
  }

  #stay(entry: TaskEntry): void {
    clearInterval(entry.leaving);
    entry.leaving = undefined;
  }

  #leave(name: string, entry: TaskEntry): void {
    const { log, leavingMs = leaving_ms } = this.#tools;
    entry.leaving ??= setInterval(() => {
      this.#runInOrder(() => this.#depart(name)).catch((error: unknown) => {
        log.warn({ err: error, provider: name }, 'a removed provider could not be let go; it is tried again');
      });
    }, leavingMs).unref();
  }

  async #depart(name: string): Promise<void> {
    const entry = this.#tasks.get(name);
    if (entry?.leaving === undefined) return;
    if ((await providersInUse(this.#tools.database, [name])).length > 0) return;
    await this.#end(name);
    clearInterval(entry.leaving);
    this.#tasks.delete(name);
    this.#taskProviders.delete(name);
    this.#closeWhenOver([entry.adapter.current]);
    this.#tools.log.info({ provider: name }, 'a removed provider is gone: no task needs it any more');
  }

  #closeWhenOver(adapters: readonly (TaskProvider | ChatProvider | undefined)[]): void {
    const closing = adapters.filter((adapter) => adapter !== undefined);
    if (closing.length === 0) return;
    this.#underWay.whenOver(() => {
      for (const adapter of closing) void this.#close(adapter);
    });
  }

  async #close(adapter: TaskProvider | ChatProvider): Promise<void> {
    this.#open.delete(adapter);
    try {
      await adapter.close?.();
    } catch (error) {
      this.#tools.log.warn({ err: error }, 'a provider did not close in order');
    }
  }

  #runInOrder<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined); // the caller gets the rejection
    return done;
  }
}

/** The settings that are not the same as before. */
function only(
  settings: Named<ProviderSettings>,
  before: (name: string) => ProviderSettings | undefined,
): Map<string, ProviderSettings> {
  return new Map([...settings].filter(([name, provider]) => !isDeepStrictEqual(provider, before(name))));
}

/**
 * The switches of models that operators have set, in force in this process. They are read once a second, so that what is
 * switched over one process soon holds in all of them, and are laid over whatever configuration a reload puts in force.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Switches, withSwitches } from '../domain/accounts/model-switch-rules.ts';
import type { Configuration } from '../config/configuration.ts';

const readEveryMs = 1_000;

export interface ModelSwitchesTools {
  read: () => Promise<ReadonlyMap<string, Switches>>;
  /** Others are set than before. */
  onChange: () => void;
  /** Called once, when the database goes away. */
  onError: (error: unknown) => void;
}

export class ModelSwitches {
  readonly #tools: ModelSwitchesTools;
  #known: ReadonlyMap<string, Switches> = new Map();
  #kept: { of: Configuration; switched: Configuration } | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Readings come one after the other, so that an older answer never comes last. */
  #turn: Promise<void> = Promise.resolve();
  #isAway = false;
  #isClosed = false;

  constructor(tools: ModelSwitchesTools) {
    this.#tools = tools;
  }

  /** Reads them, and again from now on. Fails without the database: what was switched off must not come back for a start. */
  async open(): Promise<void> {
    this.#take(await this.#tools.read());
    this.#schedule();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#turn;
  }

  /** Reads them now, so that a switch made by this process applies in it at once. Without the database all stays as it is. */
  refresh(): Promise<void> {
    this.#turn = this.#turn.then(() => this.#read());
    return this.#turn;
  }

  /** The configuration with the switches: the same object as long as neither changes, and itself where nothing is switched. */
  over(configuration: Configuration): Configuration {
    if (this.#kept?.of !== configuration) {
      const models = withSwitches(configuration.models, this.#known);
      const switched = models === configuration.models ? configuration : { ...configuration, models };
      this.#kept = { of: configuration, switched };
    }
    return this.#kept.switched;
  }

  /** Never fails. */
  async #read(): Promise<void> {
    try {
      const read = await this.#tools.read();
      this.#isAway = false;
      if (this.#isClosed || isDeepStrictEqual(read, this.#known)) return;
      this.#take(read);
      this.#tools.onChange();
    } catch (error) {
      if (!this.#isAway) this.#tools.onError(error);
      this.#isAway = true;
    }
  }

  #take(read: ReadonlyMap<string, Switches>): void {
    this.#known = read;
    this.#kept = undefined;
  }

  #schedule(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.refresh().then(() => this.#schedule()), readEveryMs);
    this.#timer.unref();
  }
}

/**
 * `tollgate api --processes`: several API processes on one port, and this one over them, which serves nothing itself. Each
 * is an API as it would be alone, with a lease, limits over the database and an end of its own; docs/internals/processes.md
 * has the reasons.
 */
import cluster, { type Worker } from 'node:cluster';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { keepRunning, type KeptServer } from '../../embedded/supervisor.ts';
import { createLog } from '../../observability/logging/log.ts';
import { readEnvironment } from '../../config/environment.ts';
import { SharedFigures } from '../../runtime/api-processes/shared-figures.ts';
import { readToSupervisor, type ToProcess } from '../../runtime/api-processes/messages.ts';
import { closeUndelivered } from '../../runtime/api-processes/undelivered.ts';
import { Refusal, ReportedEnd } from '../output.ts';

const program = fileURLToPath(new URL('../main.js', import.meta.url));

/** How a process ended. */
interface Exit {
  code: number | null;
  signal: string | null;
}

/** A process that was started. */
interface Api {
  facts: { readonly pid: number };
  worker: Worker;
  exited: Promise<Exit>;
  /** Resolves with the address once it serves. */
  up: Promise<string>;
  isUp: boolean;
  /** It was asked to read the configuration again before it could hear that. */
  owesReload: boolean;
  release: () => void;
}

/**
 * Serves with so many processes until it is asked to stop. The first starts alone: it makes what is made once, and what it
 * can't start with it reports, and ends the command with. The others start after it, each again whenever it dies.
 */
export async function superviseApis(count: number): Promise<void> {
  const apis = new ApiProcesses();
  const first = apis.start();
  const began = await Promise.race([first.up, first.exited]);
  if (typeof began !== 'string') {
    if (apis.isStopping && isOrderly(began)) return;
    throw reportedEnd(began);
  }
  const log = createLog(readEnvironment(process.env).logLevel, { hasPid: true }); // the first has checked the settings
  const cores = availableParallelism();
  if (count > cores) log.warn({ processes: count, cores }, 'there are more API processes than cores to run them');
  const others = apis.isStopping ? 0 : count - 1;
  const kept = [first, ...Array.from({ length: others }, () => apis.start())].map((api, at) =>
    apis.keep(api, `API process ${at + 1}`, log),
  );
  void apis.allUp(count).then((pids) => log.info({ address: began, processes: pids }, 'ready'));
  await apis.asked;
  log.info('stopping');
  await Promise.all(kept.map((each) => each.stop()));
  const failure = apis.ends.find((end) => !isOrderly(end));
  if (failure) throw reportedEnd(failure);
}

/** A process that was asked to stop before it could hear that is ended by the signal. */
const isOrderly = ({ code, signal }: Exit): boolean => code === 0 || signal === 'SIGTERM' || signal === 'SIGINT';

function reportedEnd({ code, signal }: Exit): Error {
  return code === null ? new Refusal(`An API process was ended by ${signal}.`) : new ReportedEnd(code);
}

class ApiProcesses {
  /** Those that run. */
  readonly #running = new Set<Api>();
  readonly #figures = new SharedFigures();
  /** Of those that ended while this process stops. */
  readonly ends: Exit[] = [];
  /** Resolves when this process is asked to stop; from then on nothing is started. */
  readonly asked: Promise<void>;
  isStopping = false;
  #onUp: () => void = () => undefined;

  constructor() {
    cluster.schedulingPolicy = cluster.SCHED_RR;
    cluster.setupPrimary({ exec: program, args: process.argv.slice(2) });
    this.asked = new Promise((resolve) => {
      const stop = (signal: NodeJS.Signals) => {
        this.isStopping = true;
        // A second one too: it ends each process at once, and with the last of them this one.
        for (const { worker } of this.#running) worker.process.kill(signal);
        resolve();
      };
      process.on('SIGINT', stop).on('SIGTERM', stop);
    });
    process.on('SIGHUP', () => {
      for (const api of this.#running) this.#reload(api);
    });
  }

  start(): Api {
    if (this.isStopping) throw new Error('it stops');
    const worker = cluster.fork();
    closeUndelivered(worker);
    const exited = new Promise<Exit>((resolve) => {
      worker.once('exit', (code: number | null, signal: string | null) => resolve({ code, signal }));
      worker.once('error', (error) => resolve({ code: null, signal: error.message })); // it could not be started at all
    });
    const facts = { pid: worker.process.pid ?? 0 };
    let becomeUp: (address: string) => void = () => undefined;
    const up = new Promise<string>((resolve) => (becomeUp = resolve));
    const api: Api = { facts, worker, exited, up, isUp: false, owesReload: false, release: () => undefined };
    this.#running.add(api);
    worker.on('message', (message: unknown) => {
      const heard = readToSupervisor(message);
      if (heard?.say === 'figures') this.#figures.shown(facts.pid, heard.figures);
      if (heard?.say === 'scraped') void this.#scraped(api);
      if (heard?.say !== 'up') return;
      api.isUp = true;
      becomeUp(heard.address);
      this.#onUp();
      if (api.owesReload) this.#reload(api);
    });
    void exited.then((exit) => {
      this.#running.delete(api);
      this.#figures.ended(facts.pid);
      if (this.isStopping) this.ends.push(exit);
    });
    return api;
  }

  /** Starts a process again whenever it dies, at once at first and every five seconds if it keeps dying. */
  keep(first: Api, name: string, log: Logger): KeptServer {
    let last: Exit | undefined;
    const watched = (api: Api): Api => {
      void api.exited.then((exit) => (last = exit));
      return api;
    };
    return keepRunning({
      name,
      first: watched(first),
      startAgain: async () => {
        const api = watched(this.start());
        void api.up.then(() => log.info({ process: api.facts.pid }, `${name} serves again`));
        return Promise.resolve(api);
      },
      end: async ({ exited }) => {
        await exited;
      },
      say: (line) => log.error({ ...last }, line),
    });
  }

  /** The ids of all, the first time that so many serve at once. */
  allUp(count: number): Promise<number[]> {
    return new Promise((resolve) => {
      this.#onUp = () => {
        const serving = [...this.#running].filter(({ isUp }) => isUp);
        if (serving.length === count) resolve(serving.map(({ facts }) => facts.pid));
      };
      this.#onUp();
    });
  }

  /** The signal would end a process that doesn't listen for it yet; one that starts may have read the file before. */
  #reload(api: Api): void {
    api.owesReload = !api.isUp;
    if (api.isUp) api.worker.process.kill('SIGHUP');
  }

  async #scraped(asking: Api): Promise<void> {
    const asked = [...this.#running].filter(({ isUp }) => isUp);
    const text = await this.#figures.text(
      asked.map(({ facts, worker }) => ({ pid: facts.pid, ask: () => say(worker, { say: 'show' }) })),
    );
    say(asking.worker, { say: 'all', text });
  }
}

function say(worker: Worker, message: ToProcess): void {
  // One that has just died hears nothing, which is not an error here.
  if (worker.isConnected()) worker.process.send(message, () => undefined);
}

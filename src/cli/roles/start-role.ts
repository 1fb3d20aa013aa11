/** Everything in one process: from the start to Ctrl-C. */
import { relative, resolve } from 'node:path';
import type { Logger } from 'pino';
import { logFileOf, type StartedGateway, startEverything, type StartOptions } from '../../embedded/start-embedded.ts';
import { makeSamples } from '../../embedded/samples.ts';
import { residentMib } from '../../embedded/resident-memory.ts';
import { StartSteps } from '../../embedded/start-steps.ts';
import { hashPassword } from '../../api/console/passwords.ts';
import { withSwitches } from '../../domain/accounts/model-switch-rules.ts';
import { createLog } from '../../observability/logging/log.ts';
import { Mask } from '../../observability/logging/mask.ts';
import { providerKinds } from '../../providers/registry.ts';
import { knownSecrets } from '../../config/known-secrets.ts';
import { loadSettings, type Settings } from '../../config/load-settings.ts';
import { type Bootstrapped, bootstrap } from '../../accounts/bootstrap.ts';
import { readSwitches } from '../../accounts/model-switches.ts';
import type { Core } from '../../runtime/parts.ts';
import { returnMemory } from '../../runtime/return-memory.ts';
import { showTemporal } from '../../runtime/scraped-gauges.ts';
import { curlLines } from '../curl-lines.ts';
import { print, printError } from '../output.ts';
import { stopSignal } from '../stop-signal.ts';
import { rereadAtHangup } from './reread-settings.ts';

/** Runs until it is asked to stop. Raises what it can't go on with. */
export async function start(): Promise<void> {
  const steps = new StartSteps();
  const settings = await loadSettings(process.env, process.cwd(), providerKinds);
  const logFile = logFileOf(settings);
  const mask = new Mask(knownSecrets(settings));
  const log = createLog(settings.environment.logLevel, { file: logFile, mask });
  const asked = stopSignal(
    'Stopped immediately. PostgreSQL and Temporal keep running; the next start takes them over.',
  ).then(() => printError('\nStopping ...'));
  const reread = rereadAtHangup(log, mask);
  let showCoreMetrics: (core: Core) => void = () => undefined;
  const beforeRoles = async () => {
    showCoreMetrics = await measuredRuntime(log);
  };
  const gateway = await startUnless(asked, { settings, log, say: printError, steps, beforeRoles });
  if (gateway) {
    try {
      showCoreMetrics(gateway.core);
      await steps.during('greeting', () => welcome(gateway, settings, logFile));
      await steps.during('return memory', returnMemory);
      gateway.becomeReady();
      const readyMs = Math.round(performance.now());
      const memoryMib = await residentMib({ gateway: process.pid, ...gateway.pids });
      log.info({ steps: steps.all, readyMs, memoryMib }, 'ready');
      reread(gateway.core, settings);
      const failure = await Promise.race([asked, gateway.failed]);
      if (failure instanceof Error) throw failure;
    } finally {
      await gateway.stop();
    }
  }
  printError('Stopped.');
}

/** Temporal's runtime, loaded only now that servers start beside; returns what shows its figures. */
async function measuredRuntime(log: Logger): Promise<(core: Core) => void> {
  const { installMeasuredRuntime } = await import('../../temporal/core-metrics.ts');
  const coreMetrics = await installMeasuredRuntime(log);
  return ({ meters }) => coreMetrics && showTemporal(meters.metrics, coreMetrics, log);
}

/** Asked to stop while it still starts, it stops what was started by then and answers nothing. */
async function startUnless(asked: Promise<void>, options: StartOptions): Promise<StartedGateway | undefined> {
  const interrupted = new AbortController();
  void asked.then(() => interrupted.abort());
  try {
    return await startEverything({ ...options, signal: interrupted.signal });
  } catch (error) {
    if (interrupted.signal.aborted) return undefined;
    throw error;
  }
}

/** The key that is made here is seen only now: nothing that may fail or be interrupted comes between. */
async function welcome(gateway: StartedGateway, { environment }: Settings, logFile: string): Promise<void> {
  const { core } = gateway;
  const samples = await makeSamples(resolve(environment.dataDir));
  const demo = await bootstrap(
    { ...core, ledgerKey: core.secrets.first.ledger, hashPassword, makesUp: true },
    environment.bootstrap,
  );
  const { configuration } = core.live.now;
  const models = withSwitches(configuration.models, await readSwitches(core.database));
  const lines = curlLines(gateway.url, demo?.secret, { ...configuration, models }, samples);
  print(greeting(gateway, demo, lines, shortPath(logFile)));
}

/** Relative to where the command runs, unless that leads out of there. */
function shortPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short;
}

function greeting(
  { url, temporalUiUrl }: StartedGateway,
  demo: Bootstrapped | undefined,
  lines: readonly string[],
  logFile: string,
): string {
  const keyLines =
    demo?.secret !== undefined
      ? [`Key         ${demo.secret}`, `            of the account ${demo.account}; shown only once`]
      : [
          'Key         shown only when it was created; to create another one:',
          `            npx tollgate keys create --account ${demo?.account ?? '<id>'} --level admin`,
          '            export TOLLGATE_API_KEY=<that key>',
        ];
  const loginLines = demo?.login
    ? [
        `            sign in as ${demo.login.email} with ${demo.login.password}`,
        '            shown only once; change it on the profile page',
      ]
    : [];
  // What is shown only once comes last, so that it is still on the screen.
  return [
    '',
    'Try it:',
    '',
    ...lines,
    '',
    'Or run a demo of everything: npx tollgate demo',
    '',
    `Tollgate    ${url}`,
    `Docs        ${url}/docs`,
    ...(temporalUiUrl === undefined ? [] : [`Temporal    ${temporalUiUrl}`]),
    `Log         ${logFile}`,
    ...keyLines,
    `Console     ${url}/console/`,
    ...loginLines,
    'Stop with Ctrl-C.',
    '',
  ].join('\n');
}

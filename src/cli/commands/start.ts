/** `tollgate start`: everything in one process; what `npm start` runs. */
import { relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { type StartedGateway, logFileOf, startEverything } from '../../embedded/start.ts';
import { makeSamples, type Samples } from '../../embedded/samples.ts';
import { createLog } from '../../log.ts';
import { loadSettings } from '../../settings/load.ts';
import { type Bootstrapped, bootstrap } from '../../storage/bootstrap.ts';
import { installTemporalRuntime } from '../../temporal/runtime.ts';
import { curlLines } from '../curl-lines.ts';
import { print, tell } from '../output.ts';
import { stopSignal } from '../stop-signal.ts';

export function addStartCommand(program: Command): void {
  program
    .command('start')
    .description('start everything in one process: API, worker and, where none is configured, database and Temporal')
    .action(async () => start());
}

async function start(): Promise<void> {
  const settings = await loadSettings(process.env, process.cwd());
  const logFile = logFileOf(settings);
  const log = createLog(settings.environment.logLevel, logFile);
  installTemporalRuntime(log);
  // Asked to stop while it still starts: what was started by then is stopped.
  const asked = stopSignal();
  const gateway = await startEverything({ settings, log, say: tell });
  try {
    const demo = await bootstrap(
      { ...gateway.core, ledgerKey: gateway.core.secrets.first.ledger },
      settings.environment.bootstrap,
    );
    const samples = await makeSamples(resolve(settings.environment.dataDir));
    print(greeting(gateway, demo, samples, relative(process.cwd(), logFile)));
    const failure = await Promise.race([asked.then(() => undefined), gateway.failed]);
    if (failure) throw failure;
    tell('\nStopping ...');
  } finally {
    await gateway.stop();
  }
  tell('Stopped.');
  process.exit(0); // native workers may keep a timer for some seconds; nothing of ours is left
}

function greeting(
  { url, temporalUiUrl }: StartedGateway,
  demo: Bootstrapped | undefined,
  samples: Samples,
  logFile: string,
): string {
  const keyLines =
    demo?.secret !== undefined
      ? [`Key         ${demo.secret}`, `            of the account ${demo.account}; it is shown this once`]
      : [
          'Key         shown once, when it was made; for another one:',
          `            npx tollgate keys create --account ${demo?.account ?? '<id>'} --level admin`,
        ];
  return [
    '',
    `Tollgate    ${url}`,
    ...(temporalUiUrl === undefined ? [] : [`Temporal    ${temporalUiUrl}`]),
    `Log         ${logFile}`,
    ...keyLines,
    '',
    'Try it:',
    '',
    ...curlLines(url, demo?.secret, samples),
    'Or run a demo of all of it: npx tollgate demo',
    'Stop with Ctrl-C.',
    '',
  ].join('\n');
}

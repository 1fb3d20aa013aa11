/** `tollgate demo`: an image, a video and an avatar-talk task against a running gateway, as far as it has models, and what they cost. */
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { MultiBar, type SingleBar } from 'cli-progress';
import type { Command } from 'commander';
import { runningGateway } from '../../embedded/data-folder-lock.ts';
import type { Samples } from '../../embedded/samples.ts';
import { providerKinds } from '../../providers/registry.ts';
import { loadSettings } from '../../config/load-settings.ts';
import { createApiKey, noLimits, revokeKey } from '../../accounts/api-keys.ts';
import { findFact } from '../../postgres/installation.ts';
import { withDatabase } from '../administration.ts';
import { DemoClient, type DemoEntry } from '../demo-client.ts';
import { type DoneTask, planTasks, runTask } from '../demo-tasks.ts';
import { print, Refusal, table } from '../output.ts';
import { known } from './accounts.ts';

interface DemoOptions {
  url?: string;
  key?: string;
  out: string;
  model?: string[];
  json?: boolean;
}

export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('run an image, a video and an avatar-talk task, save the files and show the ledger')
    .option('--url <url>', 'the gateway; default: the one running on the data folder')
    .option(
      '--key <key>',
      'the API key; default: TOLLGATE_API_KEY or, on a local gateway, a key created for the demo account',
    )
    .option('--model <id...>', 'run a task with each of these models; default: the first model of each kind')
    .option('--out <folder>', 'where to save the files', 'demo')
    .option('--json', 'print the result as JSON')
    .action(async (options: DemoOptions) => demo(options));
}

async function demo(options: DemoOptions): Promise<void> {
  const { environment } = await loadSettings(process.env, process.cwd(), providerKinds);
  const dataDir = resolve(environment.dataDir);
  const here = await runningGateway(dataDir);
  const url = (options.url ?? here)?.replace(/\/+$/, '');
  if (url === undefined)
    throw new Refusal(
      `No gateway is running on ${environment.dataDir}. Start one with 'npm start', or specify one with --url.`,
    );
  await withKey(options.key ?? process.env['TOLLGATE_API_KEY'], url === here, async (key) => {
    const { makeSamples } = await import('../../embedded/samples.ts'); // it brings the simulator's encoders
    await run(await DemoClient.open(url, key), await makeSamples(dataDir), options);
  });
}

/** Lends the given key, or one made for the demo account of the gateway here and revoked afterwards. */
async function withKey(given: string | undefined, isHere: boolean, use: (key: string) => Promise<void>): Promise<void> {
  if (given !== undefined && given !== '') return use(given);
  if (!isHere) throw new Refusal('Specify the API key with --key or TOLLGATE_API_KEY.');
  await withDatabase(async ({ database, by }) => {
    const account = await findFact(database, 'demo_account');
    if (account === undefined)
      throw new Refusal('This gateway has no demo account. Specify an API key with --key or TOLLGATE_API_KEY.');
    const { id } = await known(database, account);
    const { key, secret } = await createApiKey(by, id, { ...noLimits, name: 'tollgate demo', level: 'standard' });
    try {
      await use(secret);
    } finally {
      await revokeKey(by, key.id);
    }
  });
}

async function run(client: DemoClient, samples: Samples, { out, json, model = [] }: DemoOptions): Promise<void> {
  const tasks = await planTasks(client, model);
  const folder = resolve(out);
  await mkdir(folder, { recursive: true });
  // Where nothing can be redrawn, bars would be printed once more at the end, and empty.
  const bars = json === true || !process.stderr.isTTY ? undefined : newBars();
  const names = tasks.map(({ kind, model: id }) => `${kind} (${id})`);
  const width = Math.max(...names.map((name) => name.length));
  let done: DoneTask[];
  try {
    done = await Promise.all(
      tasks.map((task, index) =>
        withBar(bars, (names[index] ?? '').padEnd(width), (tick) => runTask(client, task, samples, folder, tick)),
      ),
    );
  } finally {
    bars?.stop();
  }
  await report(client, done, json);
}

const newBars = () =>
  new MultiBar({
    format: '{name} [{bar}] {seconds} s',
    clearOnComplete: false,
    hideCursor: true,
    noTTYOutput: false,
    stream: process.stderr,
  });

/** How long a task takes is unknown: its bar creeps towards the end, and is full when the file is saved. */
async function withBar(
  bars: MultiBar | undefined,
  name: string,
  work: (tick: () => void) => Promise<DoneTask>,
): Promise<DoneTask> {
  const startedAt = performance.now();
  const seconds = () => ({ name, seconds: ((performance.now() - startedAt) / 1000).toFixed(1) });
  const bar: SingleBar | undefined = bars?.create(100, 0, seconds());
  let progress = 0;
  const done = await work(() => {
    progress += (95 - progress) / 12;
    bar?.update(progress, seconds());
  });
  bar?.update(100, seconds());
  return done;
}

async function report(client: DemoClient, done: readonly DoneTask[], json: boolean | undefined): Promise<void> {
  const entries = (await Promise.all(done.map(({ task }) => client.entriesOf(task)))).flat();
  const account = await client.account();
  if (json === true) {
    print(
      JSON.stringify({ object: 'demo', files: done.map(({ file }) => file), tasks: done, ledger: entries, account }),
    );
    return;
  }
  print(
    [
      '',
      'Saved:',
      ...done.map(({ file }) => `  ${file}`),
      '',
      `Ledger entries of these tasks (${account.currency}):`,
    ].join('\n'),
  );
  print(table(['TASK', 'ENTRY', 'UNITS', 'CHANGE', 'EARNED', 'BALANCE AFTER'], entries.map(rowOf)));
  const change = sum(entries.map(({ amount }) => amount));
  const charged = sum(entries.map(({ charged: earned }) => earned));
  print(
    `\nBalance change ${change}, charged ${charged}: ${change + charged === 0 ? 'the totals match' : 'THE TOTALS DO NOT MATCH'}.`,
  );
  print(`Account ${account.id}: ${account.balance} ${account.currency} available, ${account.held} on hold.`);
}

const rowOf = (entry: DemoEntry) => [
  entry.task_id ?? '',
  entry.type,
  entry.units === null ? '' : `${entry.units} ${entry.unit ?? ''}`,
  String(entry.amount),
  String(entry.charged),
  String(entry.balance),
];

/** Sums amounts as whole micro-units, so that nothing is lost on the way. */
const sum = (money: readonly number[]): number =>
  money.reduce((total, value) => total + Math.round(value * 1_000_000), 0) / 1_000_000;

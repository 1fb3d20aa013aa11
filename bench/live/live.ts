/**
 * Tasks that run for long, many at once: how late their ends are heard and what waiting costs (`live`), and whether
 * accounts take turns at a provider with a create rate (`fairness`).
 *
 *   npm run bench live
 *   npm run bench live -- --tasks 500 --minutes 2 --poll 5
 */
import { parseArgs } from 'node:util';
import { checkSystem } from '../processes.ts';
import { openRawFigures, printVerdicts, say, type Verdict } from '../report.ts';
import { measureFairness } from './fairness.ts';
import { measureLive } from './lateness.ts';
import { type Parts, startCallers, startProvider } from './parts.ts';
import { fairnessTable, fairnessVerdicts, liveTable, liveVerdicts } from './report.ts';
import { RunClock } from './run-clock.ts';
import { startLiveGateway } from './setting.ts';

const phases = ['live', 'fairness'] as const;
type Phase = (typeof phases)[number];
const usage = `npm run bench live -- [--tasks 10000] [--minutes 15] [--poll 30] [--only ${phases.join('|')}]`;

/** Runs it and prints tables and verdicts; returns whether all verdicts hold. */
export async function runLive(args: readonly string[]): Promise<boolean> {
  const options = readOptions(args);
  checkSystem();
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort(new Error('interrupted'));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupt);
  const raw = openRawFigures('live');
  raw.keep(options);
  const { tasks, pollMs, overMs } = options;
  const clock = new RunClock(interrupted.signal);
  const verdicts: Verdict[] = [];
  try {
    for (const phase of options.chosen) {
      say(`Phase ${phase}: about ${minutesOf(phase, options)} minutes.`);
      await withParts(pollMs, interrupted.signal, async (parts) => {
        if (phase === 'live') {
          const figures = await measureLive(parts, { tasks, overMs, pollMs }, clock);
          raw.keep({ phase, ...figures });
          process.stdout.write(`${liveTable(figures, pollMs)}\n`);
          verdicts.push(...liveVerdicts(figures, pollMs));
        } else {
          const figures = await measureFairness(parts, { tasks }, clock);
          raw.keep({ phase, ...figures });
          process.stdout.write(`${fairnessTable(figures)}\n`);
          verdicts.push(...fairnessVerdicts(figures));
        }
      });
    }
    say(`Raw figures: ${raw.file}`);
    return printVerdicts(verdicts);
  } catch (error) {
    interrupted.signal.throwIfAborted(); // what failed then is only what the interruption ended
    throw error;
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupt);
  }
}

/** Every phase has a gateway, a provider and callers of its own; they are gone when it is over. */
async function withParts(pollMs: number, signal: AbortSignal, run: (parts: Parts) => Promise<void>): Promise<void> {
  const stops: (() => Promise<void>)[] = [];
  try {
    const provider = await startProvider();
    stops.push(provider.stop);
    const callers = startCallers();
    stops.push(callers.stop);
    signal.addEventListener('abort', () => void callers.stop(), { once: true }); // what they do could take minutes
    signal.throwIfAborted();
    const gateway = await startLiveGateway(provider.url, pollMs / 1000);
    stops.push(gateway.stop);
    signal.throwIfAborted();
    await run({ gateway, provider, callers });
  } finally {
    for (const stop of stops.reverse()) await stop().catch((error: unknown) => say(String(error)));
  }
}

/** At 40 tasks a second admitted, which is what two cores do. */
function minutesOf(phase: Phase, { tasks, overMs, pollMs }: Options): number {
  const admissionMs = (tasks / 40) * 1000;
  const ms = phase === 'live' ? admissionMs + overMs + 5 * pollMs : admissionMs + 30_000;
  return Math.ceil(ms / 60_000) + 1;
}

interface Options {
  tasks: number;
  overMs: number;
  pollMs: number;
  chosen: readonly Phase[];
}

function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      tasks: { type: 'string', default: '10000' },
      minutes: { type: 'string', default: '15' },
      poll: { type: 'string', default: '30' },
      only: { type: 'string' },
    },
  });
  const number = (name: 'tasks' | 'minutes' | 'poll', least: number, most: number, isWhole = false): number => {
    const value = /^\d+(?:\.\d+)?$/.test(values[name]) ? Number(values[name]) : Number.NaN;
    if (value >= least && value <= most && (!isWhole || Number.isInteger(value))) return value;
    throw new Error(`--${name} must be a ${isWhole ? 'whole ' : ''}number from ${least} to ${most}. ${usage}`);
  };
  const chosen = phases.filter((phase) => values.only === undefined || phase === values.only);
  if (chosen.length === 0) throw new Error(`There is no phase ${values.only ?? ''}. ${usage}`);
  return {
    // The queue of waiting tasks (`limits.waiting_tasks`) has this many places.
    tasks: number('tasks', 100, 10_000, true),
    overMs: number('minutes', 0.1, 120) * 60_000,
    pollMs: number('poll', 0.5, 600) * 1000,
    chosen,
  };
}

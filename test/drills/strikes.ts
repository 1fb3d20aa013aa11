/** One blow: a victim dies at a moment that was aimed at, stays away for a while, and comes back. */
import { open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { KeptServer } from '../../src/embedded/supervisor.ts';
import { kill, until } from '../support/process.ts';
import { oneOf } from '../support/random.ts';
import type { Load } from './load.ts';
import { type CommitAim, commitAims, isCommitAim, type LostCommit, loseCommit } from './lost-commit.ts';
import type { DrillProvider, Seen } from './provider.ts';
import { type CallStep, type Step, stepSeen, type TaskStep, taskSteps, whereTasksAre } from './steps.ts';
import type { Member, World } from './world.ts';

/** Who is killed; the disk of the blobs is filled up instead, and the commit of an admission is lost, or its answer. */
export const victims = ['api', 'worker', 'temporal', 'postgres', 'disk', 'commit'] as const;
export type Victim = (typeof victims)[number];
export type Aim = TaskStep | CommitAim | 'any moment';

/** The moments at which a victim can be struck. */
export const aimsAt = (victim: Victim): readonly Aim[] =>
  victim === 'commit' ? commitAims : ['any moment', ...taskSteps];

export interface Strike {
  victim: Victim;
  aim: Aim;
  /** Such as `worker-2`. */
  name: string;
  /** How many tasks and calls were at each step. */
  hit: Map<Step, number>;
  /** The tasks that were under way. */
  tasks: string[];
  /** Of a commit that was struck: what became of it. */
  lost?: LostCommit;
}

export interface StrikeTools {
  world: World;
  load: Load;
  providers: readonly DrillProvider[];
  random: () => number;
}

interface Moment {
  where: Map<string, TaskStep>;
  /** The process that is at the step. */
  process?: string;
}

const aimMsMax = 12_000;
const anyMomentMsMax = 2_000;
const lookMs = 20;
const awayMsMax = 1_500;
/** Longer than a commit is tried again; the longest outlast what an avatar-talk in doubt waits. */
const cutOffMs = { least: 2_500, most: 12_000 };
const answerTries = 4;
const fullMs = { least: 2_000, most: 5_000 };
const fillerBytes = 1024 * 1024;

export class Strikes {
  readonly #tools: StrikeTools;
  #waiting: { seen: Seen; reached: (at: { task: string; process: string }) => void } | undefined;

  constructor(tools: StrikeTools) {
    this.#tools = tools;
    for (const provider of tools.providers) {
      provider.onSeen = (task, seen, process) => {
        if (this.#waiting?.seen === seen) this.#waiting.reached({ task, process });
      };
    }
  }

  /** Strikes when a task is at this step, or at any moment if none comes to it in time; resolves when everything is back. */
  async strike(victim: Victim, aim: Aim): Promise<Strike> {
    const { world, load } = this.#tools;
    if (victim === 'commit') return this.#strikeCommit(isCommitAim(aim) ? aim : 'answer lost');
    const moment = aim === 'any moment' || isCommitAim(aim) ? await this.#anyMoment() : await this.#reached(aim);
    const { name, back } = this.#hit(victim, moment.process);
    const hit = countsOf(moment, load.underWay);
    await back();
    await world.allReady();
    return { victim, aim, name, hit, tasks: [...moment.where.keys()] };
  }

  /** One API is cut off from its database in the middle of an admission; the others go on. */
  async #strikeCommit(aim: CommitAim): Promise<Strike> {
    const { world, load, random } = this.#tools;
    const { name, line } = oneOf(random, world.of('api'));
    if (!line) throw new TypeError(`${name} has no line of its own`);
    let lost = await loseCommit(line, world.database.pool, aim);
    // PostgreSQL refuses a commit whose rows the other API has changed: then there was no answer to lose.
    for (let tries = 1; aim === 'answer lost' && lost === 'not committed' && tries < answerTries; tries++) {
      await line.restore();
      lost = await loseCommit(line, world.database.pool, aim);
    }
    const where = await this.#look();
    const hit = countsOf({ where }, load.underWay);
    await line.cut();
    await pause(cutOffMs.least + random() * (cutOffMs.most - cutOffMs.least));
    await line.restore();
    await world.allReady();
    return { victim: 'commit', aim, name, hit, tasks: [...where.keys()], lost };
  }

  async #anyMoment(): Promise<Moment> {
    await pause(this.#tools.random() * anyMomentMsMax);
    return { where: await this.#look() };
  }

  async #reached(aim: TaskStep): Promise<Moment> {
    const seen = stepSeen[aim];
    const arrived = new Promise<{ task: string; process: string }>((reached) => {
      this.#waiting = seen === undefined ? undefined : { seen, reached };
    });
    let where = new Map<string, TaskStep>();
    for (const startedAt = performance.now(); performance.now() - startedAt < aimMsMax;) {
      const first = await Promise.race([arrived, this.#look()]);
      if (!(first instanceof Map)) return { where: where.set(first.task, aim), process: first.process };
      where = first;
      if (seen !== undefined) await Promise.race([arrived, pause(lookMs)]);
      else if ([...where.values()].includes(aim)) break;
    }
    this.#waiting = undefined;
    return { where };
  }

  #look(): Promise<Map<string, TaskStep>> {
    const { world, providers } = this.#tools;
    const seenOf = (task: string) => providers.map((provider) => provider.seenOf(task)).find(Boolean);
    return whereTasksAre(world.database.pool, seenOf);
  }

  /** Nothing is awaited before the blow, or the moment would pass. */
  #hit(victim: Exclude<Victim, 'commit'>, process: string | undefined): { name: string; back: () => Promise<void> } {
    const { world, random } = this.#tools;
    switch (victim) {
      case 'api':
      case 'worker': {
        const all = world.of(victim);
        const member = all.find(({ name }) => name === process) ?? oneOf(random, all);
        const gone = world.kill(member);
        return { name: member.name, back: () => this.#memberBack(member, gone) };
      }
      case 'temporal':
      case 'postgres': {
        const { pid } = world[victim];
        kill(pid, 'SIGKILL');
        return { name: victim, back: () => serverBack(world[victim], pid) };
      }
      case 'disk': {
        const ms = fullMs.least + random() * (fullMs.most - fullMs.least);
        return { name: victim, back: () => fullDisk(world.blobs, ms) };
      }
    }
  }

  async #memberBack(member: Member, gone: Promise<void>): Promise<void> {
    await gone;
    await pause(this.#tools.random() * awayMsMax);
    await this.#tools.world.startAgain(member);
  }
}

/** It is started again by what watches over it. */
async function serverBack(server: KeptServer, before: number): Promise<void> {
  await until('the server that was killed', () => (server.pid === before ? undefined : true));
}

async function fullDisk(folder: string, ms: number): Promise<void> {
  const path = join(folder, '.filler');
  const file = await open(path, 'w');
  try {
    for (const piece = Buffer.alloc(fillerBytes); await isWritten(file.write(piece)););
    await pause(ms);
  } finally {
    await file.close();
    await unlink(path);
  }
}

const isWritten = (write: Promise<{ bytesWritten: number }>): Promise<boolean> =>
  write.then(
    ({ bytesWritten }) => bytesWritten > 0,
    (error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return false;
      throw error;
    },
  );

function countsOf({ where }: Moment, calls: ReadonlyMap<CallStep, number>): Map<Step, number> {
  const counts = new Map<Step, number>();
  for (const step of where.values()) counts.set(step, (counts.get(step) ?? 0) + 1);
  for (const [step, count] of calls) if (count > 0) counts.set(step, count);
  return counts;
}

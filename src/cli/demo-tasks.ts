/** What `tollgate demo` runs: a task of each kind that the gateway has a model for, or of the models that were named. */
import { join } from 'node:path';
import type { Samples } from '../embedded/samples.ts';
import type { DemoClient } from './demo-client.ts';
import { Refusal } from './output.ts';

const demoKinds = ['image', 'video', 'avatar-talk'] as const;
type DemoKind = (typeof demoKinds)[number];

/** A task whose model takes it: the gateway has quoted its price. */
export interface PlannedTask {
  kind: DemoKind;
  model: string;
  /** Of its creation, but for the files of avatar-talk. */
  body: Record<string, unknown>;
  /** The name of the file that its result is saved to. */
  file: string;
}

/** A task that has succeeded, with the path of its file. */
export interface DoneTask {
  kind: DemoKind;
  model: string;
  task: string;
  file: string;
}

/**
 * Plans a task for the first model of each kind that the key may use; kinds without one are left out. With models named,
 * plans one for each of these. Refuses a name that there is no model for, and where nothing can be run.
 */
export async function planTasks(client: DemoClient, named: readonly string[]): Promise<PlannedTask[]> {
  const tasks = named.length === 0 ? await firstOfEachKind(client) : await ofModels(client, [...new Set(named)]);
  if (tasks.length === 0) throw new Refusal('This gateway has no image, video or avatar-talk model.');
  return tasks.map((task, index) => {
    const before = tasks.slice(0, index).filter(({ kind }) => kind === task.kind).length;
    return { ...task, file: `${task.kind}${before === 0 ? '' : `-${before + 1}`}.${extensions[task.kind]}` };
  });
}

/** Runs a task to its end and saves its result in a folder; `tick` is called while it goes on. */
export async function runTask(
  client: DemoClient,
  { kind, model, body, file: name }: PlannedTask,
  samples: Samples,
  folder: string,
  tick: () => void,
): Promise<DoneTask> {
  const file = join(folder, name);
  if (kind === 'avatar-talk') {
    const task = await client.upload(paths[kind], samples, model);
    await client.fetchFile(`${paths[kind]}/${task}`, file, tick);
    return { kind, model, task, file };
  }
  const { id } = await client.create(paths[kind], body);
  const { data, content } = await client.awaitTask(`${paths[kind]}/${id}`, tick);
  await client.download(kind === 'image' ? data?.[0]?.url : content?.[0]?.video_url, file);
  return { kind, model, task: id, file };
}

const paths = {
  image: '/images/generations',
  video: '/video/generations',
  'avatar-talk': '/svctalk/generate',
} as const satisfies Record<DemoKind, string>;
const extensions = { image: 'png', video: 'mp4', 'avatar-talk': 'mp4' } as const satisfies Record<DemoKind, string>;

/** Bodies that show a kind, the wished one first: a model may lack its resolution. A duration is left to the model. */
const bodies = {
  image: [{ prompt: 'A toll gate at dawn', resolution: '1k', ratio: '1:1' }, { prompt: 'A toll gate at dawn' }],
  video: [{ prompt: 'Cars pass a toll gate' }],
  'avatar-talk': [{ audio_seconds: 4 }],
} as const satisfies Record<DemoKind, readonly Record<string, unknown>[]>;

type Planned = Omit<PlannedTask, 'file'>;

async function firstOfEachKind(client: DemoClient): Promise<Planned[]> {
  // Of avatar-talk the gateway itself takes the first model where none is named.
  const talk = await planTask(client, 'avatar-talk', undefined);
  const models = await client.models();
  const found: (Planned | undefined)[] = [];
  for (const kind of demoKinds) {
    let task = kind === 'avatar-talk' ? talk : undefined;
    for (const model of models) task ??= await planTask(client, kind, model);
    found.push(task);
  }
  return found.filter((task) => task !== undefined);
}

async function ofModels(client: DemoClient, named: readonly string[]): Promise<Planned[]> {
  const models = await client.models();
  const tasks: Planned[] = [];
  for (const model of named) {
    if (!models.includes(model)) throw new Refusal(`Model '${model}' not found. Available: ${models.join(', ')}.`);
    let task: Planned | undefined;
    for (const kind of demoKinds) task ??= await planTask(client, kind, model);
    if (!task) throw new Refusal(`'${model}' is not an image, video or avatar-talk model; the demo only runs these.`);
    tasks.push(task);
  }
  return tasks;
}

/** Returns the task of a kind that a model takes, or undefined where it takes none. */
async function planTask(client: DemoClient, kind: DemoKind, model: string | undefined): Promise<Planned | undefined> {
  for (const body of bodies[kind]) {
    const asked = { ...body, ...(model !== undefined && { model }) };
    const quoted = await client.quoteModel(paths[kind], asked);
    if (quoted !== undefined) return { kind, model: quoted, body: asked };
  }
  return undefined;
}

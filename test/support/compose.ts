/** docker-compose.yml and the Dockerfile as they stand, read as the containers' engine would: what each service runs, with which settings. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';

export const root = join(import.meta.dirname, '..', '..');
const texts = z.union([z.string().transform((text) => [text]), z.array(z.string())]);
const flag = z.boolean().optional();

const service = z.looseObject({
  image: z.string().optional(),
  build: z.string().optional(),
  user: z.string().optional(),
  entrypoint: texts.optional(),
  command: texts.optional(),
  environment: z.record(z.string(), z.string()).default({}),
  volumes: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  profiles: z.array(z.string()).default([]),
  networks: z.union([z.array(z.string()), z.record(z.string(), z.unknown()).transform(Object.keys)]).default([]),
  depends_on: z
    .record(
      z.string(),
      z.object({ condition: z.enum(['service_started', 'service_healthy', 'service_completed_successfully']) }),
    )
    .default({}),
  healthcheck: z.looseObject({ test: z.array(z.string()).optional(), disable: flag }).optional(),
  restart: z.string().optional(),
  read_only: flag,
  cap_drop: z.array(z.string()).default([]),
  cap_add: z.array(z.string()).default([]),
  security_opt: z.array(z.string()).default([]),
  logging: z.object({ driver: z.string(), options: z.record(z.string(), z.string()) }).optional(),
  stop_grace_period: z.string().optional(),
  deploy: z
    .object({
      resources: z.object({ limits: z.object({ cpus: z.string(), memory: z.string(), pids: z.number() }) }),
    })
    .optional(),
});
export type Service = z.output<typeof service>;

const composeFile = z.looseObject({
  services: z.record(z.string(), service),
  networks: z.record(z.string(), z.looseObject({ internal: flag })),
  volumes: z.record(z.string(), z.unknown()),
});
export type ComposeFile = z.output<typeof composeFile>;

export const composeText = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
/** Of a variable; two dollars are one that is meant as such. */
const reference = /\$\$|\$\{([A-Z0-9_]+)(?:(:-|:\?)([^}]*))?\}/g;

/** The file with its variables put in; raises what compose would say of one that has to be set. */
export const readCompose = (env: Readonly<Record<string, string>>): ComposeFile => composeFile.parse(plainCompose(env));

/** The same as it stands, with all that no test looks at. */
export const plainCompose = (env: Readonly<Record<string, string>>): unknown =>
  interpolated(parse(composeText, { merge: true }), env);

function interpolated(value: unknown, env: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(reference, (_, name?: string, kind?: string, word?: string) => {
      if (name === undefined) return '$';
      const given = env[name] ?? '';
      if (given === '' && kind === ':?') throw new Error(`${name} is missing: ${word ?? ''}`);
      return given === '' && kind === ':-' ? (word ?? '') : given;
    });
  }
  if (Array.isArray(value)) return value.map((each) => interpolated(each, env));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, interpolated(each, env)]));
}

/** The variables that the file takes, each with whether it has to be set. */
export function variables(): Map<string, boolean> {
  const found = new Map<string, boolean>();
  for (const [, name, kind] of composeText.matchAll(reference))
    if (name !== undefined) found.set(name, found.get(name) === true || kind === ':?');
  return found;
}

/** The variables of a file such as .env, with their values. */
export const variablesIn = (text: string): Map<string, string> =>
  new Map([...text.matchAll(/^([A-Z0-9_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]));

/** What .env.example names, with the values that it gives. */
export const exampleVariables = (): Map<string, string> =>
  variablesIn(readFileSync(join(root, '.env.example'), 'utf8'));

export interface Stage {
  from: string;
  name: string | undefined;
  /** Its other instructions in order, with continued lines made one. */
  steps: { word: string; rest: string }[];
}

/** The Dockerfile's stages. */
export function readDockerfile(): Stage[] {
  const text = readFileSync(join(root, 'Dockerfile'), 'utf8')
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, ' ');
  const stages: Stage[] = [];
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const [, word = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    const [from = '', , name] = rest.split(/\s+/);
    if (word === 'FROM') stages.push({ from, name, steps: [] });
    else stages.at(-1)?.steps.push({ word, rest });
  }
  return stages;
}

/** What the last stage sets, and what it runs. */
export function imageOf(stages: Stage[]): { env: Record<string, string>; entrypoint: string[] } {
  const steps = stages.at(-1)?.steps ?? [];
  const pairs = steps.filter(({ word }) => word === 'ENV').flatMap(({ rest }) => rest.split(/\s+/));
  const entrypoint = steps.find(({ word }) => word === 'ENTRYPOINT')?.rest ?? '[]';
  return {
    env: Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)])),
    entrypoint: z.array(z.string()).parse(JSON.parse(entrypoint)),
  };
}

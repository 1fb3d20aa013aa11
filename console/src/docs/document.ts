/** The OpenAPI document as the page draws it: operations by tag, references followed where an operation has them. */
import { type JsonRecord, listOf, recordOf, textOf } from '../parts/json.ts';

export interface ApiDocument {
  title: string;
  version: string;
  description: string;
  /** Where callers reach the API. */
  origin: string;
  groups: readonly Group[];
  /** What every deployment's paths begin with, the first deployment's first. */
  roots: readonly string[];
  /** What schemas refer to. */
  raw: JsonRecord;
}

export interface Group {
  name: string;
  description: string;
  operations: readonly Operation[];
}

export interface Operation {
  /** Unique in the document. */
  id: string;
  /** Its id without its root's suffix: the same for all roots. */
  baseId: string;
  method: string;
  path: string;
  /** The deployment's root that the path begins with; none of what belongs to no deployment. */
  root: string;
  summary: string;
  description: string;
  /** Whether it needs an API key. */
  isKeyed: boolean;
  /** Whether it is a call to the reader's own server. */
  isWebhook: boolean;
  parameters: readonly Parameter[];
  bodies: readonly Body[];
  answers: readonly Answer[];
}

export interface Parameter {
  name: string;
  place: string;
  required: boolean;
  description: string;
  schema: unknown;
  example: string;
}

export interface Body {
  type: string;
  schema: unknown;
  examples: readonly Example[];
}

export interface Example {
  name: string;
  summary: string;
  value: unknown;
}

export interface Answer {
  status: string;
  description: string;
  headers: readonly { name: string; description: string }[];
  bodies: readonly Body[];
}

const webhooksGroup = 'Webhooks';

/** Reads a document; what it doesn't have is left out. */
export function readDocument(raw: unknown): ApiDocument {
  const document = recordOf(raw);
  const info = recordOf(document['info']);
  const longestFirst = rootsOf(document).sort((a, b) => b.length - a.length);
  const operations = [
    ...operationsOf(document, 'paths', longestFirst).map((one) => ({ ...one, isWebhook: false })),
    ...operationsOf(document, 'webhooks', longestFirst).map((one) => ({ ...one, isWebhook: true, tag: webhooksGroup })),
  ];
  const described = new Map(listOf(document['tags']).map((tag) => [textOf(recordOf(tag)['name']), recordOf(tag)]));
  const names = [...new Set([...described.keys(), ...operations.map(({ tag }) => tag)])];
  return {
    title: textOf(info['title']),
    version: textOf(info['version']),
    description: textOf(info['description']),
    origin: textOf(recordOf(listOf(document['servers'])[0])['url']),
    groups: names.map((name) => ({
      name,
      description: textOf(described.get(name)?.['description']),
      operations: operations.filter(({ tag }) => tag === name),
    })),
    roots: rootsOf(document),
    raw: document,
  };
}

/** The groups with each operation once: as it is below the root, or as it is below none. */
export const groupsBelow = ({ groups }: ApiDocument, root: string): Group[] =>
  groups.map((group) => ({
    ...group,
    operations: group.operations.filter(
      (one) =>
        one.root === root ||
        (one.root === '' && !group.operations.some((other) => other.baseId === one.baseId && other.root === root)),
    ),
  }));

/** What a reference leads to, or the value itself. */
export function resolved(document: JsonRecord, value: unknown): JsonRecord {
  const ref = textOf(recordOf(value)['$ref']);
  if (!ref.startsWith('#/')) return recordOf(value);
  const steps = ref.slice('#/'.length).split('/');
  return recordOf(
    steps.reduce<unknown>((at, step) => recordOf(at)[step.replaceAll('~1', '/').replaceAll('~0', '~')], document),
  );
}

/** Whatever stands before the path of the operation that every deployment has. */
function rootsOf(document: JsonRecord): string[] {
  const end = '/chat/completions';
  const paths = Object.keys(recordOf(document['paths'])).filter((path) => path.endsWith(end));
  return paths.map((path) => path.slice(0, -end.length));
}

function operationsOf(document: JsonRecord, kind: 'paths' | 'webhooks', roots: readonly string[]) {
  return Object.entries(recordOf(document[kind])).flatMap(([path, methods]) =>
    Object.entries(recordOf(methods)).map(([method, value]) => {
      const operation = recordOf(value);
      const id = textOf(operation['operationId']);
      const root = roots.find((one) => path.startsWith(`${one}/`)) ?? '';
      return {
        id,
        baseId: baseIdOf(id, root),
        tag: textOf(listOf(operation['tags'])[0]),
        method,
        path,
        root,
        summary: textOf(operation['summary']),
        description: textOf(operation['description']),
        isKeyed: operation['security'] === undefined,
        parameters: listOf(operation['parameters']).map((one) => parameterOf(resolved(document, one))),
        bodies: bodiesOf(recordOf(operation['requestBody'])['content']),
        answers: Object.entries(recordOf(operation['responses'])).map(([status, answer]) =>
          answerOf(document, status, resolved(document, answer)),
        ),
      };
    }),
  );
}

/** `createImage` of `createImage_ai_v1` below `/ai/v1`. */
function baseIdOf(id: string, root: string): string {
  const suffix = root.replace(/[^A-Za-z0-9]+/g, '_');
  return suffix !== '' && id.endsWith(suffix) ? id.slice(0, -suffix.length) : id;
}

function parameterOf(parameter: JsonRecord): Parameter {
  const example = parameter['example'];
  return {
    name: textOf(parameter['name']),
    place: textOf(parameter['in']),
    required: parameter['required'] === true,
    description: textOf(parameter['description']),
    schema: parameter['schema'],
    example: typeof example === 'number' ? String(example) : textOf(example),
  };
}

function answerOf(document: JsonRecord, status: string, answer: JsonRecord): Answer {
  return {
    status,
    description: textOf(answer['description']),
    headers: Object.entries(recordOf(answer['headers'])).map(([name, header]) => ({
      name,
      description: textOf(resolved(document, header)['description']),
    })),
    bodies: bodiesOf(answer['content']),
  };
}

function bodiesOf(content: unknown): Body[] {
  return Object.entries(recordOf(content)).map(([type, value]) => {
    const { schema, example, examples } = recordOf(value);
    const named = Object.entries(recordOf(examples)).map(([name, one]) => ({
      name,
      summary: textOf(recordOf(one)['summary']) || name,
      value: recordOf(one)['value'],
    }));
    const own = example === undefined ? [] : [{ name: 'example', summary: 'Example', value: example }];
    return { type, schema, examples: [...own, ...named] };
  });
}

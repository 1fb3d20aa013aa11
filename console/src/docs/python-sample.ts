/** An operation as a program in Python, with the OpenAI SDK where it has what it takes. */
import { isRecord } from '../parts/json.ts';
import { type Call, formParts, sdkMethodOf } from './sample-call.ts';

export function pythonSample(call: Call): string {
  const { origin, operation, path, file } = call;
  if (file !== undefined) return fileSample(origin + path);
  const client = `client = OpenAI(base_url="${origin}${operation.root}", api_key=os.environ["TOLLGATE_API_KEY"])`;
  return ['import os', '', 'from openai import OpenAI', '', client, '', ...lines(call), ''].join('\n');
}

function lines(call: Call): string[] {
  const { operation, path, body, isStream } = call;
  const method = sdkMethodOf(operation);
  const relative = literal(path.slice(operation.root.length), 0);
  if (body?.type === 'multipart/form-data') return formLines(relative, body.value);
  if (method === undefined) {
    const args = [relative, 'cast_to=object', ...(body ? [`body=${literal(body.value, 0)}`] : [])];
    return [`answer = client.${operation.method}(${args.join(', ')})`, 'print(answer)'];
  }
  const id = operation.parameters.find(({ place }) => place === 'path')?.example;
  const args = isRecord(body?.value)
    ? `\n${Object.entries(body.value)
        .map(([name, value]) => `    ${name}=${literal(value, 1)},\n`)
        .join('')}`
    : id === undefined
      ? ''
      : literal(id, 0);
  const made = `client.${method}(${args})`;
  return isStream ? [`for event in ${made}:`, '    print(event)'] : [`answer = ${made}`, 'print(answer)'];
}

/** What is JSON until it is the file, of which the SDK has no notion. */
const fileSample = (address: string): string => `import json
import os
import urllib.request

headers = {"Authorization": "Bearer " + os.environ["TOLLGATE_API_KEY"]}
request = urllib.request.Request("${address}", headers=headers)
with urllib.request.urlopen(request) as answer:
    if answer.headers["Content-Type"] == "video/mp4":
        with open("video.mp4", "wb") as file:
            file.write(answer.read())
    else:
        print(json.load(answer))
`;

function formLines(path: string, value: unknown): string[] {
  const parts = formParts(value);
  const fields = Object.fromEntries(parts.filter(({ isFile }) => !isFile).map((part) => [part.name, part.value]));
  const files = parts.filter(({ isFile }) => isFile).map((part) => `("${part.name}", open("${part.value}", "rb"))`);
  return [
    'answer = client.post(',
    `    ${path},`,
    '    cast_to=object,',
    `    body=${literal(fields, 1)},`,
    `    files=[${files.join(', ')}],`,
    '    options={"headers": {"Content-Type": "multipart/form-data"}},',
    ')',
    'print(answer)',
  ];
}

/** JSON as Python writes it, indented where it is nested. */
function literal(value: unknown, depth: number): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  const inner = '    '.repeat(depth + 1);
  const end = `\n${'    '.repeat(depth)}`;
  if (Array.isArray(value))
    return value.length === 0
      ? '[]'
      : `[\n${value.map((one) => `${inner}${literal(one, depth + 1)},`).join('\n')}${end}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([name, one]) => `${inner}${JSON.stringify(name)}: ${literal(one, depth + 1)},`,
  );
  return fields.length === 0 ? '{}' : `{\n${fields.join('\n')}${end}}`;
}

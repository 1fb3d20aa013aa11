/** An operation as a program for Node.js, with the OpenAI SDK. */
import { type Call, formParts, sdkMethodOf } from './sample-call.ts';

export function nodeSample(call: Call): string {
  const { origin, operation, file, body } = call;
  const readsFiles = body?.type === 'multipart/form-data';
  const imports = [
    ...(readsFiles ? [`import { readFile } from 'node:fs/promises';`] : []),
    ...(file === undefined ? [] : [`import { writeFile } from 'node:fs/promises';`]),
    `import OpenAI from 'openai';`,
  ];
  const client = `const client = new OpenAI({ baseURL: '${origin}${operation.root}', apiKey: process.env.TOLLGATE_API_KEY });`;
  return [...imports, '', client, '', ...lines(call), ''].join('\n');
}

function lines(call: Call): string[] {
  const { operation, path, body, isStream, file } = call;
  const method = sdkMethodOf(operation);
  const relative = quoted(path.slice(operation.root.length));
  if (file !== undefined) return fileLines(relative);
  if (body?.type === 'multipart/form-data') return formLines(relative, body.value);
  if (method === undefined) {
    const options = body ? `, { body: ${literal(body.value)} }` : '';
    return [`const answer = await client.${operation.method}(${relative}${options});`, 'console.log(answer);'];
  }
  const id = operation.parameters.find(({ place }) => place === 'path')?.example;
  const args = body ? literal(body.value) : id === undefined ? '' : quoted(id);
  const made = `await client.${method}(${args})`;
  return isStream
    ? [`const stream = ${made};`, 'for await (const event of stream) console.log(event);']
    : [`const answer = ${made};`, 'console.log(answer);'];
}

/** What is JSON until it is the file. */
const fileLines = (path: string): string[] => [
  `const answer = await client.get(${path}).asResponse();`,
  `if (answer.headers.get('content-type') === 'video/mp4') {`,
  `  await writeFile('video.mp4', Buffer.from(await answer.arrayBuffer()));`,
  '} else {',
  '  console.log(await answer.json());',
  '}',
];

function formLines(path: string, value: unknown): string[] {
  const parts = formParts(value).map(({ name, value: text, isFile }) =>
    isFile
      ? `form.set('${name}', new File([await readFile(${quoted(text)})], ${quoted(text)}));`
      : `form.set('${name}', ${quoted(text)});`,
  );
  return [
    'const form = new FormData();',
    ...parts,
    `const answer = await client.post(${path}, { body: form });`,
    'console.log(answer);',
  ];
}

const quoted = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

/** JSON, whose plain names need no quotes. */
const literal = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:');

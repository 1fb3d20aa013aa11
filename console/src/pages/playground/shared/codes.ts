/** The same request as a program would send it: curl, Python and Node.js, with the public address. */
import { shellWord } from '../../../parts/shell-word.ts';
import { jsonLiteral, pythonLiteral } from './literals.ts';

export type Codes = Record<'curl' | 'python' | 'node', string>;
type Body = Record<string, unknown>;

/** What the `openai` package for Python takes by name; any other field stands in its `extra_body`. */
const knownInPython: readonly string[] = [
  ...['model', 'messages', 'stream', 'stream_options', 'temperature', 'top_p', 'max_tokens', 'max_completion_tokens'],
  ...['seed', 'stop', 'presence_penalty', 'frequency_penalty', 'logit_bias', 'logprobs', 'top_logprobs', 'n', 'user'],
  ...['reasoning_effort', 'verbosity', 'response_format', 'tools', 'tool_choice', 'parallel_tool_calls', 'metadata'],
  ...['service_tier', 'store', 'modalities', 'audio', 'prediction'],
];

/** Chat, by the `openai` package where there is one. */
export function chatCodes(baseUrl: string, body: Body, headers: Record<string, string> = {}): Codes {
  const fieldsOf = (isKnown: boolean) =>
    Object.fromEntries(Object.entries(body).filter(([name]) => knownInPython.includes(name) === isKnown));
  const unknown = fieldsOf(false);
  const named = Object.entries(headers);
  const inPython = {
    ...fieldsOf(true),
    ...(Object.keys(unknown).length > 0 && { extra_body: unknown }),
    ...(named.length > 0 && { extra_headers: headers }),
  };
  const inNode = named.length > 0 ? `, { headers: ${jsonLiteral(headers)} }` : '';
  const inCurl = named.map(([name, value]) => `-H ${shellWord(`${name}: ${value}`)} `).join('');
  return {
    curl: jsonCurl(`${baseUrl}/chat/completions`, body, `-N ${inCurl}`),
    python: `import os
from openai import OpenAI

client = OpenAI(base_url=${pythonLiteral(baseUrl)}, api_key=os.environ["TOLLGATE_API_KEY"])
request = ${pythonLiteral(inPython)}
for chunk in client.chat.completions.create(**request):
    for choice in chunk.choices:
        print(choice.delta.content or "", end="", flush=True)
`,
    node: `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: ${JSON.stringify(baseUrl)}, apiKey: process.env.TOLLGATE_API_KEY });
const stream = await client.chat.completions.create(${jsonLiteral(body)}${inNode});
for await (const { choices } of stream) process.stdout.write(choices[0]?.delta.content ?? '');
`,
  };
}

/** A task that is made of JSON: created, then asked for until it has ended. */
export function taskCodes(baseUrl: string, path: string, body: Body): Codes {
  const url = `${baseUrl}${path}`;
  return {
    curl: jsonCurl(url, body),
    python: `import os
import time
import requests

url = ${pythonLiteral(url)}
headers = {"Authorization": f"Bearer {os.environ['TOLLGATE_API_KEY']}"}
task = requests.post(url, headers=headers, timeout=330, json=${pythonLiteral(body)}).json()
while task.get("status") == "processing":
    time.sleep(2)
    task = requests.get(f"{url}/{task['id']}", headers=headers, timeout=30).json()
print(task)
`,
    node: `const url = ${JSON.stringify(url)};
const headers = { Authorization: \`Bearer \${process.env.TOLLGATE_API_KEY}\`, 'Content-Type': 'application/json' };
const body = JSON.stringify(${jsonLiteral(body)});
let task = await (await fetch(url, { method: 'POST', headers, body })).json();
while (task.status === 'processing') {
  await new Promise((done) => setTimeout(done, 2_000));
  task = await (await fetch(\`\${url}/\${task.id}\`, { headers })).json();
}
console.log(JSON.stringify(task, null, 2));
`,
  };
}

/** An image edit: the fields and files of a form; a task like any other image. */
export function editCodes(
  baseUrl: string,
  fields: Record<string, string | number>,
  { images, mask }: { images: readonly string[]; mask: string | undefined },
): Codes {
  const url = `${baseUrl}/images/edits`;
  const texts = Object.entries(fields).map(([name, value]) => [name, String(value)] as const);
  const files = [
    ...images.map((name) => ['image', name] as const),
    ...(mask === undefined ? [] : [['mask', mask] as const]),
  ];
  return {
    curl: `curl ${shellWord(url)} \\
  -H "Authorization: Bearer $TOLLGATE_API_KEY"${texts.map(([name, text]) => ` \\\n  --form-string ${shellWord(`${name}=${text}`)}`).join('')}${files.map(([name, file]) => ` \\\n  -F ${shellWord(`${name}=@"${quotedName(file)}"`)}`).join('')}
`,
    python: `import os
import requests

headers = {"Authorization": f"Bearer {os.environ['TOLLGATE_API_KEY']}"}
files = [
${files.map(([name, file]) => `    (${pythonLiteral(name)}, open(${pythonLiteral(file)}, "rb")),\n`).join('')}]
print(requests.post(${pythonLiteral(url)}, headers=headers, timeout=330, data=${pythonLiteral(fields)}, files=files).json())
`,
    node: `import { openAsBlob } from 'node:fs';

const headers = { Authorization: \`Bearer \${process.env.TOLLGATE_API_KEY}\` };
const form = new FormData();
${texts.map(([name, text]) => `form.set(${JSON.stringify(name)}, ${JSON.stringify(text)});\n`).join('')}${files.map(([name, file]) => `form.append(${JSON.stringify(name)}, await openAsBlob(${JSON.stringify(file)}), ${JSON.stringify(file)});\n`).join('')}const answer = await fetch(${JSON.stringify(url)}, { method: 'POST', headers, body: form });
console.log(await answer.json());
`,
  };
}

/** Avatar-talk: two files of a form; its video is fetched once. */
export function talkCodes(
  baseUrl: string,
  { audio, video, fields }: { audio: string; video: string; fields: Record<string, string> },
): Codes {
  const url = `${baseUrl}/svctalk/generate`;
  const texts = Object.entries(fields);
  return {
    // An empty Expect keeps proxies in between from waiting.
    curl: `curl ${shellWord(url)} \\
  -H "Authorization: Bearer $TOLLGATE_API_KEY" \\
  -H 'Expect:' \\
  -F ${shellWord(`audio=@"${quotedName(audio)}"`)} \\
  -F ${shellWord(`video=@"${quotedName(video)}"`)}${texts.map(([name, text]) => ` \\\n  --form-string ${shellWord(`${name}=${text}`)}`).join('')}
`,
    python: `import os
import time
import requests

url = ${pythonLiteral(url)}
headers = {"Authorization": f"Bearer {os.environ['TOLLGATE_API_KEY']}"}
with open(${pythonLiteral(audio)}, "rb") as audio, open(${pythonLiteral(video)}, "rb") as video:
    task = requests.post(url, headers=headers, files={"audio": audio, "video": video}, data=${pythonLiteral(fields)}).json()
while True:
    answer = requests.get(f"{url}/{task['id']}", headers=headers)
    if answer.headers["Content-Type"] == "video/mp4":
        break
    if answer.json().get("status") != "processing":
        raise SystemExit(answer.text)
    time.sleep(2)
open("result.mp4", "wb").write(answer.content)  # it can be fetched once
`,
    node: `import { openAsBlob } from 'node:fs';
import { writeFile } from 'node:fs/promises';

const url = ${JSON.stringify(url)};
const headers = { Authorization: \`Bearer \${process.env.TOLLGATE_API_KEY}\` };
const form = new FormData();
form.set('audio', await openAsBlob(${JSON.stringify(audio)}), 'audio');
form.set('video', await openAsBlob(${JSON.stringify(video)}), 'video');
${texts.map(([name, text]) => `form.set(${JSON.stringify(name)}, ${JSON.stringify(text)});\n`).join('')}const task = await (await fetch(url, { method: 'POST', headers, body: form })).json();
for (;;) {
  const answer = await fetch(\`\${url}/\${task.id}\`, { headers });
  if (answer.headers.get('Content-Type') === 'video/mp4') {
    await writeFile('result.mp4', new Uint8Array(await answer.arrayBuffer())); // it can be fetched once
    break;
  }
  const task = await answer.json();
  if (task.status !== 'processing') throw new Error(JSON.stringify(task));
  await new Promise((done) => setTimeout(done, 2_000));
}
`,
  };
}

export const jsonCurl = (url: string, body: Body, flags = ''): string => `curl ${flags}${shellWord(url)} \\
  -H "Authorization: Bearer $TOLLGATE_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d ${shellWord(JSON.stringify(body, null, 2))}
`;

/** Inside of curl's own quotes. */
export const quotedName = (name: string): string => name.replaceAll(/["\\]/g, '\\$&');

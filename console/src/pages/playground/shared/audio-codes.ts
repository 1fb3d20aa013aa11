/** Calls of audio as a program would send them: curl, Python and Node.js, with the public address. */
import { shellWord } from '../../../parts/shell-word.ts';
import { type Codes, jsonCurl, quotedName } from './codes.ts';
import { jsonLiteral, pythonLiteral } from './literals.ts';

/** Speech, into a file. */
export function speechCodes(baseUrl: string, body: Record<string, unknown>, file: string): Codes {
  const url = `${baseUrl}/audio/speech`;
  return {
    curl: jsonCurl(url, body, `-o ${shellWord(file)} `),
    python: `import os
import requests

headers = {"Authorization": f"Bearer {os.environ['TOLLGATE_API_KEY']}"}
answer = requests.post(${pythonLiteral(url)}, headers=headers, timeout=330, json=${pythonLiteral(body)})
answer.raise_for_status()
open(${pythonLiteral(file)}, "wb").write(answer.content)
`,
    node: `import { writeFile } from 'node:fs/promises';

const answer = await fetch(${JSON.stringify(url)}, {
  method: 'POST',
  headers: { Authorization: \`Bearer \${process.env.TOLLGATE_API_KEY}\`, 'Content-Type': 'application/json' },
  body: JSON.stringify(${jsonLiteral(body)}),
});
if (!answer.ok) throw new Error(await answer.text());
await writeFile(${JSON.stringify(file)}, new Uint8Array(await answer.arrayBuffer()));
`,
  };
}

/** A transcript of a file. */
export function transcriptionCodes(baseUrl: string, fields: Record<string, string>, file: string): Codes {
  const url = `${baseUrl}/audio/transcriptions`;
  const texts = Object.entries(fields);
  return {
    curl: `curl ${shellWord(url)} \\
  -H "Authorization: Bearer $TOLLGATE_API_KEY"${texts.map(([name, text]) => ` \\\n  --form-string ${shellWord(`${name}=${text}`)}`).join('')} \\
  -F ${shellWord(`file=@"${quotedName(file)}"`)}
`,
    python: `import os
import requests

headers = {"Authorization": f"Bearer {os.environ['TOLLGATE_API_KEY']}"}
with open(${pythonLiteral(file)}, "rb") as file:
    answer = requests.post(${pythonLiteral(url)}, headers=headers, timeout=330, data=${pythonLiteral(fields)}, files={"file": file})
print(answer.json())
`,
    node: `import { openAsBlob } from 'node:fs';

const headers = { Authorization: \`Bearer \${process.env.TOLLGATE_API_KEY}\` };
const form = new FormData();
${texts.map(([name, text]) => `form.set(${JSON.stringify(name)}, ${JSON.stringify(text)});\n`).join('')}form.set('file', await openAsBlob(${JSON.stringify(file)}), ${JSON.stringify(file)});
const answer = await fetch(${JSON.stringify(url)}, { method: 'POST', headers, body: form });
console.log(await answer.json());
`,
  };
}

/** A first call with a new key, ready to run: a chat, or where it may not chat, the list of models. */
import { shellWord } from '../../parts/shell-word.ts';

interface FirstCall {
  /** With the root, such as `https://gateway.example/v1`. */
  baseUrl: string;
  key: string;
  model: string | null;
}

export function firstCall({ baseUrl, key, model }: FirstCall): Record<'curl' | 'python' | 'node', string> {
  const python = `from openai import OpenAI

client = OpenAI(
    base_url=${quoted(baseUrl)},
    api_key=${quoted(key)},
)
`;
  const node = `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: ${quoted(baseUrl)},
  apiKey: ${quoted(key)},
});
`;
  const header = `-H ${shellWord(`Authorization: Bearer ${key}`)}`;
  if (model === null) {
    return {
      curl: `curl ${shellWord(`${baseUrl}/models`)} \\\n  ${header}`,
      python: `${python}for model in client.models.list():\n    print(model.id)`,
      node: `${node}for await (const model of client.models.list()) console.log(model.id);`,
    };
  }
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] });
  return {
    curl: `curl ${shellWord(`${baseUrl}/chat/completions`)} \\
  ${header} \\
  -H 'Content-Type: application/json' \\
  -d ${shellWord(body)}`,
    python: `${python}answer = client.chat.completions.create(
    model=${quoted(model)},
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`,
    node: `${node}const answer = await client.chat.completions.create({
  model: ${quoted(model)},
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(answer.choices[0].message.content);`,
  };
}

/** A text in double quotes, as Python and JavaScript both read it. */
const quoted = (text: string): string => JSON.stringify(text);

/** In place of the chart, as long as nothing was ever called: how to begin. */
import { Link } from 'react-router';
import { CodeTabs } from '../../parts/code-block.tsx';
import { Panel } from '../../parts/panel.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { texts } from './texts.ts';

export function FirstSteps({ model }: { model: string | null }) {
  const say = useTexts(texts);
  return (
    <Panel title={say('firstSteps')}>
      <ol className="tg-steps">
        <li>
          {say('stepKey')} <Link to="../keys">{say('toKeys')}</Link>
        </li>
        <li>
          {say('stepCall')}
          <CodeTabs codes={examplesOf(`${window.location.origin}/v1`, model ?? 'MODEL')} />
        </li>
        <li>{say('stepSee')}</li>
        <li>
          {say('stepDocs')} <a href="/docs">{say('toDocs')}</a>
        </li>
      </ol>
    </Panel>
  );
}

const examplesOf = (root: string, model: string) => ({
  curl: `curl ${root}/chat/completions \\
  -H "Authorization: Bearer $TOLLGATE_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"model": "${model}", "messages": [{"role": "user", "content": "Hello"}]}'`,
  python: `import os
from openai import OpenAI

client = OpenAI(base_url="${root}", api_key=os.environ["TOLLGATE_API_KEY"])
answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`,
  node: `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${root}', apiKey: process.env.TOLLGATE_API_KEY });
const answer = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(answer.choices[0].message.content);`,
});

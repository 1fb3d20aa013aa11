/** opencode over the gateway's chat completions. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Agent, lastWords } from './agent.ts';

export const opencode: Agent = {
  ...{ name: 'opencode', package: 'opencode-ai@1.18.33', program: 'opencode' },
  script(greeting) {
    const edit = { filePath: greeting, oldString: 'Helo', newString: 'Hello' };
    return `[sim:tool=read ${JSON.stringify({ filePath: greeting })}] [sim:then] [sim:tool=edit ${JSON.stringify(edit)}] [sim:then] ${lastWords}`;
  },
  async settle({ project, url, key, model }, prompt) {
    const tollgate = {
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL: `${url}/v1`, apiKey: '{env:TOLLGATE_API_KEY}' },
      models: { [model]: {} },
    };
    const settings = { model: `tollgate/${model}`, small_model: `tollgate/${model}`, provider: { tollgate } };
    await writeFile(join(project, 'opencode.json'), JSON.stringify(settings));
    // It puts an argument that has a space between quotes, and these would break the script.
    const env = {
      TOLLGATE_API_KEY: key,
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    };
    return { args: ['run', ...prompt.split(' ')], env };
  },
  path: '/v1/chat/completions',
  isTranslated: false,
  says: {
    noMoney: /Add credit to continue\./,
    noModel: /Model 'sim-none' not found\. GET \/models lists/,
    limitSpent: /This key is limited to 0\.000001 CNY in total/,
  },
};

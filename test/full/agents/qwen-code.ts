/** Qwen Code over the gateway's chat completions. */
import { type Agent, lastWords } from './agent.ts';

export const qwenCode: Agent = {
  ...{ name: 'qwen-code', package: '@qwen-code/qwen-code@0.24.4', program: 'qwen' },
  script(greeting) {
    const edit = { file_path: greeting, old_string: 'Helo', new_string: 'Hello' };
    return `[sim:tool=read_file ${JSON.stringify({ file_path: greeting })}] [sim:then] [sim:tool=edit ${JSON.stringify(edit)}] [sim:then] ${lastWords}`;
  },
  settle: ({ url, key, model }, prompt) =>
    Promise.resolve({
      args: ['-p', prompt, '--approval-mode', 'auto-edit', '--auth-type', 'openai'],
      env: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: key, OPENAI_MODEL: model },
    }),
  path: '/v1/chat/completions',
  isTranslated: false,
  says: {
    noMoney: /Add credit to continue\./,
    noModel: /Model 'sim-none' not found\. GET \/models lists/,
    limitSpent: /This key is limited to 0\.000001 CNY in total/,
  },
};

/** aider over the gateway's chat completions. It offers no tools: its model writes the edits into its text. */
import { basename } from 'node:path';
import type { Agent } from './agent.ts';

export const aider: Agent = {
  ...{ name: 'aider', package: 'aider-chat==0.86.2', program: 'aider' },
  script(greeting) {
    const edit = ['<<<<<<< SEARCH', 'Helo, world', '=======', 'Hello, world', '>>>>>>> REPLACE'].join('\n');
    return `[sim:say=${JSON.stringify(`${basename(greeting)}\n\`\`\`\n${edit}\n\`\`\`\n\nAll fixed.`)}]`;
  },
  settle: ({ greeting, url, key, model }, prompt) =>
    Promise.resolve({
      args: [
        ...['--model', `openai/${model}`, '--weak-model', `openai/${model}`, '--edit-format', 'diff'],
        ...[
          '--no-show-model-warnings',
          '--no-check-update',
          '--no-show-release-notes',
          '--analytics-disable',
          '--no-git',
          '--no-pretty',
        ],
        ...['--yes-always', '--message', prompt, greeting],
      ],
      env: { OPENAI_API_BASE: `${url}/v1`, OPENAI_API_KEY: key, LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
    }),
  path: '/v1/chat/completions',
  isTranslated: false,
  says: {
    noMoney: /Add credit to continue\./,
    noModel: /Model 'sim-none' not found\. GET \/models lists/,
    limitSpent: /This key is limited to 0\.000001 CNY in total/,
  },
};

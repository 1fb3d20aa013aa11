/** Claude Code over the gateway's messages. */
import { type Agent, lastWords } from './agent.ts';

export const claudeCode: Agent = {
  ...{ name: 'claude-code', package: '@anthropic-ai/claude-code@2.1.331', program: 'claude' },
  script(greeting) {
    const edit = { file_path: greeting, old_string: 'Helo', new_string: 'Hello' };
    return `[sim:tool=Read ${JSON.stringify({ file_path: greeting })}] [sim:then] [sim:tool=Edit ${JSON.stringify(edit)}] [sim:then] ${lastWords}`;
  },
  settle: ({ url, key, model }, prompt) =>
    Promise.resolve({
      args: ['-p', prompt, '--permission-mode', 'acceptEdits'],
      env: {
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_AUTH_TOKEN: key,
        ANTHROPIC_MODEL: model,
        ANTHROPIC_SMALL_FAST_MODEL: model,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      },
    }),
  path: '/v1/messages',
  isTranslated: true,
  says: {
    noMoney: /API Error: 402 Insufficient balance: .* Add credit to continue\./,
    noModel: /There's an issue with the selected model \(sim-none\)/,
    limitSpent: /Request rejected \(429\) · This key is limited to 0\.000001 CNY in total/,
  },
};

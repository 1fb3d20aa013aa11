/** Codex over the gateway's responses. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Agent, lastWords } from './agent.ts';

export const codex: Agent = {
  ...{ name: 'codex', package: '@openai/codex@0.169.0', program: 'codex' },
  script(greeting) {
    const [read, edit] = [`cat ${greeting}`, `sed -i s/Helo/Hello/ ${greeting}`];
    const turns = [read, edit].map((cmd) => `[sim:tool=exec_command ${JSON.stringify({ cmd })}] [sim:then]`);
    return [...turns, lastWords].join(' ');
  },
  async settle({ home, url, key, model }, prompt) {
    const lines = [
      `model = "${model}"`,
      'model_provider = "tollgate"',
      'web_search = "disabled"', // the provider's own, which has no price here
      '[model_providers.tollgate]',
      'name = "Tollgate"',
      `base_url = "${url}/v1"`,
      'env_key = "TOLLGATE_API_KEY"',
      'wire_api = "responses"',
    ];
    await mkdir(join(home, '.codex'));
    await writeFile(join(home, '.codex', 'config.toml'), lines.join('\n'));
    const args = ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', prompt];
    return { args, env: { TOLLGATE_API_KEY: key } };
  },
  path: '/v1/responses',
  isTranslated: true,
  says: {
    noMoney: /Add credit to continue\./,
    noModel: /Model 'sim-none' not found\. GET \/models lists/,
    limitSpent: /hit your usage limit\. This key is limited to 0\.000001 CNY in total/,
  },
};

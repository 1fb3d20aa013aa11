/** The examples of the guides as a reader pastes them: with this gateway's address, its models, and no helpers of the page that they come from. */
import type { ApiDocument } from '../document.ts';
import { recordOf, textOf } from '../../parts/json.ts';
import { type SampleLanguage, withKey } from '../samples.ts';

const languageOf: Readonly<Record<string, SampleLanguage>> = { sh: 'curl', python: 'python', js: 'node' };

/** The language that a fenced example runs in; none of what is only shown. */
export const sampleLanguageOf = (fence: string): SampleLanguage | undefined => languageOf[fence];

/** The operations whose examples name the gateway's own model in place of the simulator's. */
const modelOperations: Readonly<Record<string, string>> = {
  'sim-chat': 'createChatCompletion',
  'sim-code': 'createResponse',
  'sim-embedding': 'createEmbeddings',
  'sim-image': 'createImage',
  'sim-video-fast': 'createVideo',
};

/** The code of a guide for this gateway below this root; with the key in place where there is one. */
export function guideCode(
  api: ApiDocument,
  { language, code, root, key }: { language: SampleLanguage; code: string; root: string; key: string },
): string {
  const address = api.origin + root;
  const own = withModels(api, code)
    .replace(/\$URL(\/ai)?\/v1/g, address)
    .replaceAll('os.environ["URL"] + "/v1"', JSON.stringify(address))
    .replaceAll('`${process.env.URL}/v1`', `'${address}'`)
    .trim();
  return withKey(language === 'curl' ? shellCode(own) : own, language, key);
}

/** The guide's shell variables and its helper `member` are spelled out, and long calls broken at their options. */
const shellCode = (code: string): string =>
  code
    .replaceAll('"$auth"', '"Authorization: Bearer $TOLLGATE_API_KEY"')
    .replaceAll('"$json"', "'Content-Type: application/json'")
    .replace(/\bmember (\w+)/g, 'jq -r .$1')
    .replace(/ (?=-[HdF] )/g, ' \\\n  ')
    .replace(/\\\n {2}\\\n/g, '\\\n');

/** Text or code with the gateway's own models. */
export function withModels(api: ApiDocument, text: string): string {
  return text.replace(/\bsim-[a-z]+(?:-[a-z]+)?\b/g, (name) => modelOf(api, modelOperations[name]) || name);
}

function modelOf(api: ApiDocument, operationId: string | undefined): string {
  const operations = api.groups.flatMap((group) => group.operations);
  const example = operations.find(({ id }) => id === operationId)?.bodies[0]?.examples[0];
  return textOf(recordOf(example?.value)['model']);
}

/** An operation as a program calls it: with curl, Go and Java, and with the OpenAI SDKs for Python and Node.js where it needs a key. */
import { shellWord } from '../parts/shell-word.ts';
import type { Body, Example, Operation } from './document.ts';
import { isRecord } from '../parts/json.ts';
import { goSample, goWithKey } from './go-sample.ts';
import { javaSample } from './java-sample.ts';
import { nodeSample } from './node-sample.ts';
import { pythonSample } from './python-sample.ts';
import { type Call, formParts } from './sample-call.ts';

export const languages = ['curl', 'python', 'node', 'go', 'java'] as const;
export type SampleLanguage = (typeof languages)[number];

/** The languages that an operation can be called in; what needs no key is none of an SDK's business. */
export const languagesOf = ({ isKeyed }: Operation): readonly SampleLanguage[] =>
  isKeyed ? languages : ['curl', 'go', 'java'];

/** The program, to be pasted as it stands; the key is in `TOLLGATE_API_KEY`, or in place by `withKey`. */
export function sampleOf(
  language: SampleLanguage,
  origin: string,
  operation: Operation,
  sent?: { body: Body; example: Example | undefined },
): string {
  const call = callOf(origin, operation, sent);
  switch (language) {
    case 'curl':
      return curlSample(call);
    case 'python':
      return pythonSample(call);
    case 'node':
      return nodeSample(call);
    case 'go':
      return goSample(call);
    case 'java':
      return javaSample(call);
  }
}

/** Code with the key itself in place of the variable. One that is no key is left out: it would be code. */
export function withKey(code: string, language: SampleLanguage, key: string): string {
  if (!/^[\w.-]+$/.test(key)) return code;
  switch (language) {
    case 'curl':
      return code.replaceAll('$TOLLGATE_API_KEY', key);
    case 'python':
      return code.replaceAll('os.environ["TOLLGATE_API_KEY"]', `"${key}"`);
    case 'node':
      return code.replaceAll('process.env.TOLLGATE_API_KEY', `'${key}'`);
    case 'go':
      return goWithKey(code, key);
    case 'java':
      return code.replaceAll('System.getenv("TOLLGATE_API_KEY")', `"${key}"`);
  }
}

function callOf(origin: string, operation: Operation, sent?: { body: Body; example: Example | undefined }): Call {
  const value = sent?.example?.value;
  const answered = operation.answers.flatMap(({ status, bodies }) => (status.startsWith('2') ? bodies : []));
  const file = answered.map(({ type }) => type).find((type) => /^(video|image)\//.test(type));
  return {
    origin,
    operation,
    path: exactPath(operation),
    isStream: isRecord(value) && value['stream'] === true,
    ...(sent && { body: { type: sent.body.type, value } }),
    ...(file !== undefined && { file }),
  };
}

/** The path and the required query, with the document's examples in their places. */
function exactPath({ path, parameters }: Operation): string {
  const filled = parameters
    .filter(({ place }) => place === 'path')
    .reduce((text, { name, example }) => text.replace(`{${name}}`, encodeURIComponent(example || name)), path);
  const query = parameters.filter(({ place, required }) => place === 'query' && required);
  const pairs = query.map(({ name, example }) => `${name}=${encodeURIComponent(example)}`);
  return pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`;
}

const fileNames: Readonly<Record<string, string>> = { 'video/mp4': 'video.mp4' };

function curlSample({ origin, operation, path, body, isStream, file }: Call): string {
  const { method, isKeyed } = operation;
  const flags = [
    ...(method === 'get' || (method === 'post' && body) ? [] : [`-X ${method.toUpperCase()}`]),
    ...(isStream ? ['-N'] : []),
    ...(file === undefined ? [] : [`-o ${fileNames[file] ?? 'result'}`]),
  ];
  const lines = [
    ['curl', ...flags, shellWord(origin + path)].join(' '),
    ...(isKeyed ? ['-H "Authorization: Bearer $TOLLGATE_API_KEY"'] : []),
    ...bodyLines(body),
  ];
  return lines.join(' \\\n  ');
}

function bodyLines(body: Call['body']): string[] {
  if (!body) return [];
  if (body.type === 'multipart/form-data') {
    return formParts(body.value).map(
      ({ name, value, isFile }) => `-F ${shellWord(`${name}=${isFile ? '@' : ''}${value}`)}`,
    );
  }
  return [`-H 'Content-Type: ${body.type}'`, `-d ${shellWord(JSON.stringify(body.value, null, 2))}`];
}

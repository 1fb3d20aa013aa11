/** A request to the gateway that the page came from, and its answer as it arrives. */
import type { Body, Operation } from './document.ts';
import { recordOf, textOf } from '../parts/json.ts';
import { rootOfSession } from './session.ts';

/** What the reader filled in. */
export interface Filled {
  /** By `place name`. */
  parameters: Readonly<Record<string, string>>;
  /** A body that is JSON. */
  text: string;
  /** A body that is a form. */
  form: FormData;
}

/** Whose money it is: a key's account, or the account that the reader owns by the console's session. */
export type Payer = { key: string } | { account: string };

export interface Received {
  status: string;
  type: string;
  /** All of it so far, or up to what is shown. */
  text: string;
  isCut: boolean;
  /** Instead of a text. */
  file?: Blob;
}

/** More than a reader needs; a stream or list may be very long. */
const textCharactersMax = 100_000;

/** Sends it to this page's own origin, and reports the response whenever more of it has arrived. Raises if none comes. */
export async function send(
  operation: Operation,
  filled: Filled,
  { payer, signal, report }: { payer: Payer; signal: AbortSignal; report: (received: Received) => void },
): Promise<void> {
  const [body] = operation.bodies;
  const response = await fetch(addressOf(operation, filled.parameters, payer), {
    method: operation.method.toUpperCase(),
    headers: headersOf(operation, filled, { payer, body }),
    body: body ? (isForm(body) ? filled.form : filled.text) : null,
    cache: 'no-store',
    credentials: 'account' in payer ? 'same-origin' : 'omit', // a key stands for itself
    signal,
  });
  const type = response.headers.get('Content-Type') ?? '';
  const head = { status: `${response.status} ${response.statusText}`.trim(), type };
  if (/^(video|image|audio)\//.test(type)) {
    report({ ...head, text: '', isCut: false, file: await response.blob() });
    return;
  }
  report({ ...head, text: '', isCut: false });
  await readText(response, (text, isCut) => report({ ...head, text: isCut ? text : pretty(text, type), isCut }));
}

export const isForm = ({ type }: Body): boolean => type === 'multipart/form-data';

/** Whether a field of a form is a file. */
export const isFile = (schema: unknown): boolean => textOf(recordOf(schema)['format']) === 'binary';

function addressOf({ path, root, parameters }: Operation, given: Filled['parameters'], payer: Payer): string {
  const called = 'account' in payer ? rootOfSession(payer.account) + path.slice(root.length) : path;
  const valueOf = (place: string, name: string) => given[`${place} ${name}`] ?? '';
  const filled = parameters
    .filter(({ place }) => place === 'path')
    .reduce((text, { name }) => text.replace(`{${name}}`, encodeURIComponent(valueOf('path', name))), called);
  const query = new URLSearchParams(
    parameters
      .filter(({ place, name }) => place === 'query' && valueOf('query', name) !== '')
      .map(({ name }) => [name, valueOf('query', name)]),
  ).toString();
  return query === '' ? filled : `${filled}?${query}`;
}

function headersOf(
  { isKeyed, parameters }: Operation,
  given: Filled,
  { payer, body }: { payer: Payer; body: Body | undefined },
): Headers {
  const headers = new Headers();
  if (isKeyed && 'key' in payer) headers.set('Authorization', `Bearer ${payer.key}`);
  if (body && !isForm(body)) headers.set('Content-Type', body.type); // a form's has its boundary in it
  for (const { place, name } of parameters) {
    const value = given.parameters[`${place} ${name}`];
    if (place === 'header' && value) headers.set(name, value);
  }
  return headers;
}

async function readText(response: Response, report: (text: string, isCut: boolean) => void): Promise<void> {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    if (text.length > textCharactersMax) {
      report(text.slice(0, textCharactersMax), true);
      await reader.cancel();
      return;
    }
    report(text, false);
  }
}

function pretty(text: string, type: string): string {
  if (!type.startsWith('application/json')) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text; // not all of it is there yet
  }
}

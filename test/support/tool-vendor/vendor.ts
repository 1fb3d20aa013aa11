/**
 * A stand-in for a vendor whose model uses tools: it speaks chat completions, messages and responses, fixes a greeting
 * with whatever tools an agent offers, and keeps its own book of what each request used, by the id that came with it.
 */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { type JsonObject, jsonObjectOf } from '../../../src/domain/json/json-object.ts';
import { type Answer, errorAnswer, openUpstream, type SeenRequest } from '../upstream.ts';
import { chatForm } from './chat-form.ts';
import { messagesForm } from './messages-form.ts';
import { type Conversation, nextTurn, type Spoken, type Turn, type VendorForm, type VendorTokens } from './model.ts';
import { responsesForm } from './responses-form.ts';

export interface BookedCall {
  /** What the gateway sent as `x-request-id`. */
  requestId: string;
  path: string;
  tokens: VendorTokens;
}

export interface ToolVendor {
  /** With `/v1`. */
  url: string;
  /** What was answered with success, in its order. */
  booked: BookedCall[];
  close(): Promise<void>;
}

const forms: Readonly<Record<string, VendorForm>> = {
  '/v1/chat/completions': chatForm,
  '/v1/messages': messagesForm,
  '/v1/responses': responsesForm,
};

/** Opens the vendor on a free port of this machine; the caller closes it. */
export async function openToolVendor(): Promise<ToolVendor> {
  const { upstream, close } = await openUpstream();
  const booked: BookedCall[] = [];
  const issued = new Map<string, JsonObject>();
  upstream.answers((request) => answer(request));
  return { url: upstream.url, booked, close };

  function answer(request: SeenRequest): Answer {
    const path = request.path.replace(/\?.*/, '');
    if (path === '/v1/messages/count_tokens') return { json: { input_tokens: tokensIn(request.body.length) } };
    const form = forms[path];
    if (!form) return errorAnswer(404, `There is no ${path}.`);
    const read = form.read(jsonObjectOf(request.body) ?? {});
    if (!read.success) return errorAnswer(400, z.prettifyError(read.error));
    const conversation = read.data;
    const mistake = mistakeIn(conversation);
    if (mistake !== undefined) return errorAnswer(400, mistake);
    const spoken = speak(nextTurn(conversation), conversation, tokensIn(request.body.length));
    for (const { id, input } of spoken.calls) issued.set(id, input);
    booked.push({ requestId: String(request.headers['x-request-id']), path, tokens: spoken.tokens });
    return conversation.stream ? { pieces: form.events(spoken) } : { json: form.whole(spoken) };
  }

  /** It takes back only its own calls and thoughts, whole, and each call with its result, as vendors do or more. */
  function mistakeIn({ calls, results, thoughts }: Conversation): string | undefined {
    const foreign = calls.find(({ id, input }) => !isKept(issued.get(id), input));
    if (foreign) return `The call ${foreign.id} is not one that this model made.`;
    const open = calls.find(({ id }) => !results.some((result) => result.id === id));
    if (open) return `The call ${open.id} has no result.`;
    const stray = results.find(({ id }) => !calls.some((call) => call.id === id));
    if (stray) return `The result of ${stray.id} belongs to no call.`;
    return thoughts.every(({ text, signature }) => signature === signatureOf(text))
      ? undefined
      : 'A thought was altered.';
  }
}

/** Agents add arguments that a tool has without being given them. */
const isKept = (made: JsonObject | undefined, input: JsonObject): boolean =>
  made !== undefined && Object.entries(made).every(([name, value]) => isDeepStrictEqual(input[name], value));

function speak({ text, thought, calls }: Turn, { model, thinks, results }: Conversation, prompt: number): Spoken {
  const made = calls.map((call) => ({ ...call, id: `call_${randomUUID()}` }));
  const thinking = thinks ? thought : '';
  const characters = [text, thinking, ...made.map(({ name, input }) => name + JSON.stringify(input))].join('').length;
  // A conversation that goes on finds its beginning in the cache.
  const cacheRead = results.length > 0 ? Math.floor(prompt / 2) : 0;
  const cacheWrite = Math.floor((prompt - cacheRead) / 4);
  const tokens = { fresh: prompt - cacheRead - cacheWrite, cacheRead, cacheWrite, output: tokensIn(characters) };
  return { id: randomUUID(), model, text, thinking, signature: signatureOf(thinking), calls: made, tokens };
}

const tokensIn = (characters: number): number => Math.ceil(characters / 4);

const signatureOf = (text: string): string => Buffer.from(text).toString('base64');

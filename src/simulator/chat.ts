/**
 * The simulator's calls: it answers all endpoints of calls without an upstream, in their wire formats, so that everything works without a key. The same prompt gets the same answer.
 */
import { randomBytes } from 'node:crypto';
import { endpointNames, callEndpoints } from '../domain/call-endpoints.ts';
import type { ProviderSettings } from '../domain/catalogue.ts';
import { jsonObjectOf, type JsonObject } from '../domain/json/json-object.ts';
import { ChatUnreachable } from '../domain/chat/unreachable.ts';
import type { ChatCall, ChatForm, ChatListener, ChatProvider } from '../providers/chat-contract.ts';
import { readChatKnobs, type ChatKnobs } from './chat-knobs.ts';
import { completionsForm } from './chat-completions.ts';
import { Playback, type Score } from './chat-playback.ts';
import type { ChatPrompt } from './chat-prompt.ts';
import { replyOf } from './chat-reply.ts';
import { compactionObject, inputItems } from './chat-response-input.ts';
import { responseObject, responsesForm } from './chat-responses.ts';
import { embeddedText, embeddingsAnswer, embeddingsMistake } from './embeddings.ts';
import { knobSettingsOf, readKnobs } from './knobs.ts';
import { createMessagesForm } from './messages.ts';
import { moderatedText, moderationsAnswer } from './moderations.ts';
import { PromptCache } from './prompt-cache.ts';
import { rankedText, rerankAnswer } from './rerank.ts';
import { textCompletionsForm } from './text-completions.ts';
import { speechAnswer, speechMistake, spokenText } from './speech.ts';
import { fieldOf, heardIn, transcriptAnswer } from './transcripts.ts';
import { openAiError, type Answered, type Mistake, type WireFailure, type WireForm } from './wire-form.ts';

/** Responses that can be fetched later; the oldest go first. They are this process's own. */
const storedResponsesMax = 1000;

/** A chat provider of kind `simulator`. `now` is Unix ms. */
export function createSimulatorChat(settings: ProviderSettings, now: () => number = Date.now): ChatProvider {
  const knobSettings = knobSettingsOf(settings);
  const messagesForm = createMessagesForm(new PromptCache(now));
  const stored = new Map<string, StoredResponse>();
  return {
    endpoints: (settings.endpoints ?? endpointNames).map((name) => callEndpoints[name]),
    start,
    probe: () => Promise.resolve({ status: 200 }),
  };

  function start(call: ChatCall, listener: ChatListener): Playback {
    return new Playback(call.form ? scoreOfForm(call, call.form) : scoreOf(call), listener);
  }

  function scoreOf(call: ChatCall): Score {
    if (call.method !== 'POST') return { delayMs: 0, ...storedAnswer(call) };
    switch (call.path.replace(/\?.*$/s, '')) {
      case 'chat/completions':
        return scoreFor(call, completionsForm, writeAnswer);
      case 'responses':
        return scoreFor(call, responsesForm, (form, answered) => {
          if (answered.body['store'] !== false)
            store(answered.facts.id, { response: responseObject(answered), items: inputItems(answered) });
          return writeAnswer(form, answered);
        });
      case 'responses/input_tokens':
        return scoreFor(call, responsesForm, (_, { prompt }) =>
          json(200, { object: 'response.input_tokens', input_tokens: prompt.inputTokens }),
        );
      case 'responses/compact':
        return scoreFor(call, responsesForm, (_, answered) => json(200, compactionObject(answered)));
      case 'messages':
        return scoreFor(call, messagesForm, writeAnswer);
      case 'messages/count_tokens':
        return scoreFor(call, messagesForm, (_, { prompt }) => json(200, { input_tokens: prompt.inputTokens }));
      case 'completions':
        return scoreFor(call, textCompletionsForm, writeAnswer);
      case 'embeddings':
        return scoreOfReading(call, {
          field: 'input',
          textOf: embeddedText,
          mistakeIn: embeddingsMistake,
          answer: (body, usage) => json(200, embeddingsAnswer(body, usage)),
        });
      case 'moderations':
        return scoreOfReading(call, {
          field: 'input',
          textOf: moderatedText,
          answer: (body) => json(200, moderationsAnswer(body, newFacts('modr-').id)),
        });
      case 'rerank':
        return scoreOfReading(call, {
          field: 'query',
          textOf: rankedText,
          answer: (body, usage) => json(200, rerankAnswer(body, newFacts('rerank-').id, usage)),
        });
      case 'audio/speech':
        return scoreOfReading(call, {
          field: 'input',
          textOf: spokenText,
          mistakeIn: speechMistake,
          answer: (body, usage) => ({ status: 200, ...speechAnswer(body, usage) }),
        });
      default:
        return { delayMs: 0, ...storedAnswer(call) };
    }
  }

  /** Of audio, which is read as if it were words. Its knobs are in its prompt. */
  async function scoreOfForm(call: ChatCall, form: ChatForm): Promise<Score> {
    const asked = fieldOf(form, 'prompt') ?? '';
    const heard = await heardIn(form);
    const knobs = readChatKnobs(asked);
    return scoreOfKnobs(call, { asked, knobs, mistake: knobs.mistake, param: 'prompt', error: openAiError }, () => {
      const whole = { status: 200, ...transcriptAnswer(form, heard, knobs.usage) };
      return knobs.breaksWith === undefined ? whole : breakOff(whole, '', () => '');
    });
  }

  /** Of a call that is read and has no reply: its text has the knobs. */
  function scoreOfReading(call: ChatCall, { field, textOf, mistakeIn, answer }: Reading): Score {
    const body = jsonObjectOf(Buffer.concat(call.body));
    if (body === undefined) return { delayMs: 0, ...json(400, openAiError(noObject)) };
    const asked = textOf(body);
    const knobs = readChatKnobs(asked);
    const wrong = mistakeIn?.(body);
    const mistake = knobs.mistake ?? wrong?.message;
    const param = wrong?.param ?? field;
    return scoreOfKnobs(call, { asked, knobs, mistake, param, error: openAiError }, () => {
      const whole = answer(body, knobs.usage);
      return knobs.breaksWith === undefined ? whole : breakOff(whole, '', () => '');
    });
  }

  /** What a call gets: what its prompt's knobs make of it, else what `write` does. */
  function scoreFor<Prompt extends ChatPrompt>(
    call: ChatCall,
    form: WireForm<Prompt>,
    write: (form: WireForm<Prompt>, answered: Answered<Prompt>) => SimulatedAnswer,
  ): Score {
    const body = jsonObjectOf(Buffer.concat(call.body));
    if (body === undefined) return { delayMs: 0, ...json(400, form.error(noObject)) };
    const prompt = form.promptOf(body);
    const { asked, knobs } = prompt;
    const mistake = knobs.mistake ?? form.mistakeIn?.(prompt);
    return scoreOfKnobs(
      call,
      { asked, knobs, mistake, param: form.promptField, error: (failure) => form.error(failure) },
      () => write(form, { body, prompt, replies: repliesTo(prompt), facts: newFacts(form.idPrefix) }),
    );
  }

  /** What the knobs of a text make of its call, else what `write` does. */
  function scoreOfKnobs(
    call: ChatCall,
    { asked, knobs, mistake, param, error }: Asked,
    write: () => SimulatedAnswer,
  ): Score {
    const fail = (failure: WireFailure) => json(failure.status, error(failure));
    const { delayMs, failure, isRefused } = readKnobs(asked, call.requestId, knobSettings);
    if (delayMs > settings.timeoutMs) {
      return { delayMs: settings.timeoutMs, failure: new ChatUnreachable('timeout', 'the simulator took too long') };
    }
    if (mistake !== undefined) return { delayMs, ...fail({ status: 400, message: mistake, param }) };
    if (isRefused) {
      const message = 'Simulated policy refusal ([sim:policy]).';
      return { delayMs, ...fail({ status: 400, message, param, code: 'content_policy_violation' }) };
    }
    const { status } = knobs;
    if (failure !== undefined || status !== undefined) {
      const message = failure ?? `Simulated failure ([sim:status=${status}]).`;
      return { delayMs, ...fail({ status: status ?? 500, message }) };
    }
    return { delayMs, ...write() };
  }

  function repliesTo(prompt: ChatPrompt): Answered['replies'] {
    const [first = prompt, ...others] = prompt.prompts ?? [];
    const repliesTo = (one: ChatPrompt, from: number) =>
      Array.from({ length: one.n - from }, (_, at) => replyOf(one, at + from, knobSettings.seed));
    return [
      replyOf(first, 0, knobSettings.seed),
      ...repliesTo(first, 1),
      ...others.flatMap((other) => repliesTo(other, 0)),
    ];
  }

  function store(id: string, response: StoredResponse): void {
    const [oldest] = stored.keys();
    if (oldest !== undefined && stored.size >= storedResponsesMax) stored.delete(oldest);
    stored.set(id, response);
  }

  function storedAnswer({ method, path }: ChatCall): SimulatedAnswer {
    const [, id = '', action] = /^responses\/([^/?]+)(?:\/([a-z_]+))?(?:\?.*)?$/.exec(path) ?? [];
    const found = stored.get(id);
    const fail = (status: number, message: string) => json(status, openAiError({ status, message }));
    if (found === undefined) return fail(404, `Response with id '${id}' not found.`);
    if (method === 'POST' && action === 'cancel') return fail(400, 'Cannot cancel a synchronous response.');
    if (method === 'GET' && action === 'input_items') return json(200, found.items);
    if (action !== undefined || method === 'POST') return fail(404, 'The simulator does not serve this path.');
    if (method === 'GET') return json(200, found.response);
    stored.delete(id);
    return json(200, { id, object: 'response', deleted: true });
  }

  function newFacts(prefix: string): Answered['facts'] {
    return { id: `${prefix}${randomBytes(16).toString('hex')}`, created: Math.floor(now() / 1000) };
  }
}

interface StoredResponse {
  response: JsonObject;
  /** The list of its input. */
  items: JsonObject;
}

/** A call that is read and has no reply. */
interface Reading {
  /** That has the text. */
  field: string;
  textOf: (body: JsonObject) => string;
  /** What is wrong with it, beyond its knobs. */
  mistakeIn?: (body: JsonObject) => Mistake | undefined;
  answer: (body: JsonObject, usage: JsonObject | undefined) => SimulatedAnswer;
}

/** What a call asks for, as far as knobs go. */
interface Asked {
  /** The text that has them. */
  asked: string;
  knobs: ChatKnobs;
  mistake: string | undefined;
  /** The field that a refusal names. */
  param: string;
  error: (failure: WireFailure) => JsonObject;
}

const noObject: WireFailure = { status: 400, message: 'The body is not a JSON object.' };

type SimulatedAnswer = Omit<Extract<Score, { status: number }>, 'delayMs'>;

function writeAnswer<Prompt extends ChatPrompt>(form: WireForm<Prompt>, answered: Answered<Prompt>): SimulatedAnswer {
  const { stream, knobs } = answered.prompt;
  const answer = stream ? events(form.events(answered)) : json(200, form.answer(answered));
  return knobs.breaksWith === undefined ? answer : breakOff(answer, stream ? knobs.breaksWith : '', form.errorEvent);
}

/** The first half of an answer: of a stream by its events, ended by one of an error if there is a message. */
function breakOff(
  { status, contentType, pieces }: SimulatedAnswer,
  message: string,
  errorEvent: WireForm['errorEvent'],
): SimulatedAnswer {
  const [whole = Buffer.alloc(0)] = pieces;
  const half = Math.floor(pieces.length / 2);
  const begun = half === 0 ? [whole.subarray(0, Math.floor(whole.length / 2))] : pieces.slice(0, half);
  if (message !== '') return { status, contentType, pieces: [...begun, Buffer.from(errorEvent(message, half))] };
  const breaksAs = new ChatUnreachable('broken', 'the simulator broke the answer off ([sim:break])');
  return { status, contentType, pieces: begun, breaksAs };
}

const json = (status: number, body: unknown): SimulatedAnswer => ({
  status,
  contentType: 'application/json',
  pieces: [Buffer.from(JSON.stringify(body))],
});

const events = (texts: readonly string[]): SimulatedAnswer => ({
  status: 200,
  contentType: 'text/event-stream; charset=utf-8',
  pieces: texts.map((text) => Buffer.from(text)),
});

/**
 * The simulator's chat: it answers chat completions and responses without an upstream, in their wire formats, so that
 * everything works without a key. The same prompt gets the same text.
 */
import { randomBytes } from 'node:crypto';
import type { ProviderSettings } from '../domain/catalogue.ts';
import { jsonObjectOf, type JsonObject } from '../domain/chat/token-usage.ts';
import { ChatUnreachable } from '../domain/chat/unreachable.ts';
import type { ChatCall, ChatListener, ChatProvider } from '../providers/chat-contract.ts';
import { chatChunks, chatCompletion, type WireFacts } from './chat-completions.ts';
import { Playback, type Score } from './chat-playback.ts';
import { chatPrompt, responsesPrompt, type ChatPrompt } from './chat-prompt.ts';
import { replyOf } from './chat-reply.ts';
import { responseEvents, responseObject } from './chat-responses.ts';
import { knobSettingsOf, readKnobs } from './knobs.ts';

/** Responses that can be fetched later; the oldest go first. They are this process's own. */
const storedResponsesMax = 1000;

/** A chat provider of kind `simulator`. `now` is Unix ms. */
export function createSimulatorChat(settings: ProviderSettings, now: () => number = Date.now): ChatProvider {
  const knobSettings = knobSettingsOf(settings);
  const stored = new Map<string, JsonObject>();
  return {
    endpoints: ['chat/completions', 'responses'],
    start,
    probe: () => Promise.resolve({ status: 200 }),
  };

  function start(call: ChatCall, listener: ChatListener): Playback {
    return new Playback(scoreOf(call), listener);
  }

  function scoreOf(call: ChatCall): Score {
    if (call.method === 'POST' && (call.path === 'chat/completions' || call.path === 'responses')) return answer(call);
    return { delayMs: 0, ...storedAnswer(call) };
  }

  function answer(call: ChatCall): Score {
    const body = jsonObjectOf(Buffer.concat(call.body));
    if (body === undefined) return { delayMs: 0, ...failed(400, 'The body is not a JSON object.') };
    const prompt = call.path === 'responses' ? responsesPrompt(body) : chatPrompt(body);
    const { delayMs, failure, isRefused } = readKnobs(prompt.text, call.requestId, knobSettings);
    if (delayMs > settings.timeoutMs) {
      return { delayMs: settings.timeoutMs, failure: new ChatUnreachable('timeout', 'the simulator took too long') };
    }
    if (isRefused) {
      const message = 'Simulated policy refusal ([sim:policy]).';
      const param = call.path === 'responses' ? 'input' : 'messages';
      return { delayMs, ...failed(400, message, { param, code: 'content_policy_violation' }) };
    }
    if (failure !== undefined) return { delayMs, ...failed(500, failure) };
    return { delayMs, ...(call.path === 'responses' ? respond(body, prompt) : complete(prompt)) };
  }

  function complete(prompt: ChatPrompt): SimulatedAnswer {
    const facts = newFacts('chatcmpl-');
    const replies = Array.from({ length: prompt.n }, (_, choice) => replyOf(prompt, choice, knobSettings.seed));
    if (prompt.stream) return events(chatChunks(prompt, replies, facts));
    return json(200, chatCompletion(prompt, replies, facts));
  }

  function respond(body: JsonObject, prompt: ChatPrompt): SimulatedAnswer {
    const facts = newFacts('resp_');
    const reply = replyOf(prompt, 0, knobSettings.seed);
    const response = responseObject(body, prompt, reply, facts);
    if (body['store'] !== false) store(facts.id, response);
    return prompt.stream ? events(responseEvents(body, prompt, reply, facts)) : json(200, response);
  }

  function store(id: string, response: JsonObject): void {
    const [oldest] = stored.keys();
    if (oldest !== undefined && stored.size >= storedResponsesMax) stored.delete(oldest);
    stored.set(id, response);
  }

  function storedAnswer({ method, path }: ChatCall): SimulatedAnswer {
    const [, id = '', action] = /^responses\/([^/?]+)(?:\/([a-z_]+))?(?:\?.*)?$/.exec(path) ?? [];
    const response = stored.get(id);
    if (response === undefined) return failed(404, `Response with id '${id}' not found.`);
    if (method === 'POST' && action === 'cancel') {
      return failed(400, 'Cannot cancel a synchronous response.');
    }
    if (action !== undefined || method === 'POST') return failed(404, 'The simulator does not serve this path.');
    if (method === 'GET') return json(200, response);
    stored.delete(id);
    return json(200, { id, object: 'response', deleted: true });
  }

  function newFacts(prefix: string): WireFacts {
    return { id: `${prefix}${randomBytes(16).toString('hex')}`, created: Math.floor(now() / 1000) };
  }
}

type SimulatedAnswer = Pick<Extract<Score, { status: number }>, 'status' | 'contentType' | 'pieces'>;

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

function failed(status: number, message: string, more: { param?: string; code?: string } = {}): SimulatedAnswer {
  const type = status < 500 ? 'invalid_request_error' : 'server_error';
  return json(status, { error: { message, type, param: more.param ?? null, code: more.code ?? null } });
}

/**
 * A request of Anthropic's Messages API as a chat completion. What each field becomes, and which are refused, is the list
 * in docs/internals/translation.md.
 */
import { isObject, type JsonObject } from '../json/json-object.ts';
import { stopSequencesMax, temperatureMax } from '../limits.ts';
import { invalid, missing } from '../requests/parse.ts';
import { defined, Fields, notCarried } from './fields.ts';
import { chatMessagesOfTurns } from './messages-turns.ts';

/** OpenAI takes no longer `user`; the ids that Claude Code sends are longer, and differ within these. */
const userCharactersMax = 64;

/** Returns the chat completion's body. Throws GatewayError for what is wrong in it, or can't be carried. */
export function chatRequestOfMessages(body: JsonObject): JsonObject {
  const fields = new Fields(body);
  const model = fields.requiredText('model');
  const maxTokens = fields.integer('max_tokens', 1);
  if (maxTokens === undefined) throw missing('max_tokens', 'must be an integer from 1');
  const isStream = fields.flag('stream') ?? false;
  const tools = fields.list('tools')?.map((tool, index) => toolOf(new Fields(tool, `tools[${index}]`))) ?? [];
  const chat = {
    model,
    messages: chatMessagesOfTurns(fields),
    max_tokens: maxTokens,
    stream: isStream || undefined,
    stream_options: isStream ? { include_usage: true } : undefined,
    temperature: fields.number('temperature', 0, temperatureMax),
    top_p: fields.number('top_p', 0, 1),
    stop: stopOf(fields),
    tools: tools.length > 0 ? tools : undefined,
    ...toolChoiceOf(fields.object('tool_choice'), tools.length > 0),
    ...outputOf(fields.object('output_config')),
    user: userOf(fields.object('metadata')),
  };
  readThinking(fields.object('thinking'));
  refuseTheRest(fields);
  return defined(chat);
}

function stopOf(fields: Fields): readonly string[] | undefined {
  const stops = fields.list('stop_sequences');
  if (stops === undefined || stops.length === 0) return undefined;
  const rule = `must be an array of at most ${stopSequencesMax} strings`;
  if (stops.length > stopSequencesMax) throw notCarried('stop_sequences', rule);
  return stops.map((stop) => {
    if (typeof stop !== 'string') throw invalid('stop_sequences', rule);
    return stop;
  });
}

function toolOf(tool: Fields): JsonObject {
  // Tools of other types are run, or known by heart, by Anthropic's own models.
  tool.oneOf('type', ['custom']);
  const schema = tool.object('input_schema');
  if (schema === undefined) throw missing(tool.at('input_schema'), 'must be a JSON schema');
  const described = {
    name: tool.requiredText('name'),
    description: tool.text('description'),
    parameters: tool.value('input_schema'),
    strict: tool.flag('strict'),
  };
  tool.refuse('defer_loading', 'must be false', (value) => value === false);
  tool.refuse('allowed_callers', "must be ['direct']", (value) => JSON.stringify(value) === '["direct"]');
  tool.ignore('cache_control', 'eager_input_streaming');
  tool.end();
  return { type: 'function', function: defined(described) };
}

function toolChoiceOf(choice: Fields | undefined, hasTools: boolean): JsonObject {
  if (choice === undefined) return {};
  const type = choice.requiredOneOf('type', ['auto', 'any', 'tool', 'none']);
  const isSingle = choice.flag('disable_parallel_tool_use') ?? false;
  const name = type === 'tool' ? choice.requiredText('name') : undefined;
  choice.end();
  if (!hasTools && (type === 'any' || type === 'tool')) throw invalid('tool_choice', "needs 'tools'");
  if (!hasTools) return {};
  const words = { auto: 'auto', any: 'required', none: 'none' };
  return {
    tool_choice: type === 'tool' ? { type: 'function', function: { name } } : words[type],
    parallel_tool_calls: isSingle ? false : undefined,
  };
}

/** Anthropic's efforts are OpenAI's by name. */
function outputOf(config: Fields | undefined): JsonObject {
  if (config === undefined) return {};
  const effort = config.oneOf('effort', ['low', 'medium', 'high', 'xhigh', 'max']);
  const format = config.object('format');
  config.end();
  if (format === undefined) return { reasoning_effort: effort };
  format.requiredOneOf('type', ['json_schema']);
  if (format.object('schema') === undefined) throw missing(format.at('schema'), 'must be a JSON schema');
  const schema = format.value('schema');
  format.end();
  return {
    reasoning_effort: effort,
    response_format: { type: 'json_schema', json_schema: { name: 'output', schema, strict: true } },
  };
}

/** Chat has no form for it but the effort: whether a model thinks is its own affair, and `max_tokens` bounds it. */
function readThinking(thinking: Fields | undefined): void {
  if (thinking === undefined) return;
  thinking.requiredOneOf('type', ['enabled', 'adaptive', 'disabled']);
  thinking.integer('budget_tokens', 0);
  thinking.ignore('display');
  thinking.end();
}

function userOf(metadata: Fields | undefined): string | undefined {
  const user = metadata?.text('user_id');
  metadata?.end();
  return user?.slice(0, userCharactersMax);
}

function refuseTheRest(fields: Fields): void {
  fields.oneOf('service_tier', ['auto', 'standard_only']);
  fields.oneOf('speed', ['standard']);
  fields.ignore('cache_control', 'diagnostics');
  fields.refuse('top_k', "must be omitted: send 'temperature' or 'top_p'");
  fields.refuse('container', 'must be omitted');
  fields.refuse('inference_geo', 'must be omitted');
  fields.refuse('mcp_servers', 'must be omitted or empty', (value) => Array.isArray(value) && value.length === 0);
  fields.refuse(
    'context_management',
    "must have no 'edits' but of the type 'clear_thinking_20251015'",
    onlyClearsThinking,
  );
  fields.end();
}

/** Claude Code asks for it; upstreams that have no use for earlier thinking leave it out themselves. */
function onlyClearsThinking(management: unknown): boolean {
  if (!isObject(management)) return false;
  const { edits, ...others } = management as { edits?: unknown };
  if (Object.keys(others).length > 0 || !Array.isArray(edits)) return false;
  return (edits as readonly unknown[]).every((edit) => isObject(edit) && edit['type'] === 'clear_thinking_20251015');
}

/**
 * A request of OpenAI's Responses API as a chat completion. What each field becomes, and which are refused, is the list in
 * docs/internals/translation.md.
 */
import type { JsonObject } from '../json/json-object.ts';
import { temperatureMax } from '../limits.ts';
import { invalid, missing } from '../requests/parse.ts';
import { defined, Fields, notCarried } from './fields.ts';
import { chatMessagesOfInput } from './responses-turns.ts';
import { flatName } from './tool-names.ts';

/** Returns the chat completion's body. Throws GatewayError for what is wrong in it, or can't be carried. */
export function chatRequestOfResponses(body: JsonObject): JsonObject {
  const fields = new Fields(body);
  const isStream = fields.flag('stream') ?? false;
  const tools = toolsOf(fields.list('tools') ?? []);
  const parallel = fields.flag('parallel_tool_calls');
  const reasoning = fields.object('reasoning');
  const safetyId = fields.text('safety_identifier');
  const chat = {
    model: fields.requiredText('model'),
    messages: chatMessagesOfInput(fields),
    max_tokens: fields.integer('max_output_tokens', 1),
    stream: isStream || undefined,
    stream_options: isStream ? { include_usage: true } : undefined,
    temperature: fields.number('temperature', 0, temperatureMax),
    top_p: fields.number('top_p', 0, 1),
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: toolChoiceOf(fields, tools.length > 0),
    // Only the caller that wants one at a time says what is not the default, which some upstreams don't know.
    parallel_tool_calls: tools.length > 0 && parallel === false ? false : undefined,
    reasoning_effort: reasoning?.oneOf('effort', ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']),
    ...textOf(fields.object('text')),
    user: fields.text('user') ?? safetyId,
  };
  // What a model thinks is shown whole, whatever summary is asked for.
  reasoning?.ignore('summary', 'generate_summary');
  reasoning?.end();
  refuseTheRest(fields);
  return defined(chat);
}

function toolsOf(tools: readonly unknown[]): readonly JsonObject[] {
  return tools.flatMap((tool, index) => {
    const fields = new Fields(tool, `tools[${index}]`);
    const type = fields.requiredOneOf('type', ['function', 'namespace']);
    return type === 'function' ? [functionOf(fields, undefined)] : namespaceOf(fields);
  });
}

function namespaceOf(fields: Fields): readonly JsonObject[] {
  const namespace = { name: fields.requiredText('name'), description: fields.text('description') };
  const inner = fields.list('tools') ?? [];
  fields.end();
  return inner.map((tool, index) => {
    const each = new Fields(tool, `${fields.at('tools')}[${index}]`);
    each.requiredOneOf('type', ['function']);
    return functionOf(each, namespace);
  });
}

function functionOf(
  tool: Fields,
  namespace: { name: string; description: string | undefined } | undefined,
): JsonObject {
  const name = tool.requiredText('name');
  const description = tool.text('description');
  const described = {
    name: namespace ? flatName(namespace.name, name) : name,
    description: namespace?.description ? [namespace.description, description ?? ''].join('\n\n').trim() : description,
    parameters: tool.object('parameters') && tool.value('parameters'),
    strict: tool.flag('strict'),
  };
  tool.refuse('defer_loading', 'must be false', (value) => value === false);
  tool.refuse('allowed_callers', "must be ['direct']", (value) => JSON.stringify(value) === '["direct"]');
  // Of the tool's own answers, which chat has no schema for.
  tool.ignore('output_schema');
  tool.end();
  return { type: 'function', function: defined(described) };
}

function toolChoiceOf(fields: Fields, hasTools: boolean): unknown {
  const choice = fields.value('tool_choice');
  if (choice === undefined) return undefined;
  if (typeof choice === 'string') {
    const word = fields.requiredOneOf('tool_choice', ['auto', 'none', 'required']);
    if (!hasTools && word === 'required') throw invalid('tool_choice', "needs 'tools'");
    return hasTools ? word : undefined;
  }
  const named = new Fields(choice, fields.at('tool_choice'));
  named.requiredOneOf('type', ['function']);
  const [name, namespace] = [named.requiredText('name'), named.text('namespace')];
  named.end();
  if (!hasTools) throw invalid('tool_choice', "needs 'tools'");
  return { type: 'function', function: { name: namespace === undefined ? name : flatName(namespace, name) } };
}

function textOf(text: Fields | undefined): JsonObject {
  if (text === undefined) return {};
  const verbosity = text.oneOf('verbosity', ['low', 'medium', 'high']);
  const format = text.object('format');
  text.end();
  return { verbosity, response_format: format && formatOf(format) };
}

function formatOf(format: Fields): JsonObject | undefined {
  const type = format.requiredOneOf('type', ['text', 'json_object', 'json_schema']);
  if (type !== 'json_schema') {
    format.end();
    return type === 'text' ? undefined : { type };
  }
  if (format.object('schema') === undefined) throw missing(format.at('schema'), 'must be a JSON schema');
  const schema = {
    name: format.requiredText('name'),
    description: format.text('description'),
    schema: format.value('schema'),
    strict: format.flag('strict'),
  };
  format.end();
  return { type, json_schema: defined(schema) };
}

function refuseTheRest(fields: Fields): void {
  const include = fields.list('include') ?? [];
  for (const [index, name] of include.entries()) {
    // There is none to encrypt: the reasoning is in the answer as a text.
    if (name === 'reasoning.encrypted_content') continue;
    throw notCarried(`include[${index}]`, "must be 'reasoning.encrypted_content', or omitted");
  }
  const isFalse = (value: unknown) => value === false;
  fields.refuse('previous_response_id', "must be omitted: send the whole 'input'");
  fields.refuse('store', 'must be false or omitted: its responses are not kept', isFalse);
  fields.refuse('background', 'must be false or omitted', isFalse);
  fields.oneOf('service_tier', ['auto', 'default']);
  fields.oneOf('truncation', ['disabled']);
  fields.refuse('top_logprobs', 'must be 0 or omitted', (value) => value === 0);
  // Hints for caches, notes of clients, and what the answer repeats.
  fields.ignore('prompt_cache_key', 'prompt_cache_retention', 'prompt_cache_options');
  fields.ignore('client_metadata', 'metadata', 'stream_options');
  fields.end();
}

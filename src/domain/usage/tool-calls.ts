/** How often tools ran that the provider hosts, and bills by the call. */
import { isObject, type JsonObject } from '../json/json-object.ts';
import { countOf, type Odd } from './usage-fields.ts';

type ToolCalls = Record<string, number>;

/** Returns the calls that a usage counts, by the tool's name; only those above 0. */
export function statedToolCalls(usage: JsonObject, odd: Odd): ToolCalls {
  const calls: ToolCalls = {};
  const take = (name: string, value: unknown) => {
    const count = countOf(value, odd) ?? 0;
    if (count > 0) calls[name] = count;
  };
  // Anthropic and OpenRouter; xAI; Qwen; Perplexity.
  takeEnding(usage['server_tool_use'], '_requests', take);
  takeEnding(usage['server_side_tool_usage_details'], '_calls', take);
  const { plugins } = usage;
  if (isObject(plugins) && isObject(plugins['search'])) take('web_search', plugins['search']['count']);
  take('web_search', usage['num_search_queries']);
  // xAI's live search bills each source that it used.
  take('search_source', usage['num_sources_used']);
  return calls;
}

function takeEnding(value: unknown, ending: string, take: (name: string, value: unknown) => void): void {
  if (!isObject(value)) return;
  for (const [name, count] of Object.entries(value))
    if (name.endsWith(ending)) take(name.slice(0, -ending.length), count);
}

/** Items of a response that are calls of hosted tools, by the tools' names in prices. */
const hostedCalls: ReadonlyMap<unknown, string> = new Map([
  ['web_search_call', 'web_search'],
  ['file_search_call', 'file_search'],
  ['code_interpreter_call', 'code_interpreter'],
  ['image_generation_call', 'image_generation'],
  ['mcp_call', 'mcp'],
  ['shell_call', 'shell'],
  ['computer_call', 'computer_use'],
]);

/** Returns the hosted calls among the `output` of a response. Of a web search only searches cost; opening pages is free. */
export function toolCallsIn(output: unknown): ToolCalls {
  const calls: ToolCalls = {};
  for (const item of Array.isArray(output) ? (output as readonly unknown[]) : []) {
    const name = isObject(item) ? hostedCalls.get(item['type']) : undefined;
    if (name === undefined || !isObject(item) || isFreeAction(item['action'])) continue;
    calls[name] = (calls[name] ?? 0) + 1;
  }
  return calls;
}

const isFreeAction = (action: unknown): boolean =>
  isObject(action) &&
  (action['type'] === 'open_page' || action['type'] === 'find_in_page' || action['type'] === 'find');

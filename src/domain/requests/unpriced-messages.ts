/** What costs money at an upstream of messages and has no price here, or lies in the operator's own organisation there. */
import { isObject, type JsonObject } from '../json/json-object.ts';
import type { UnpricedName } from '../unpriced-names.ts';
import { type Allowed, eachObject, isThere, unpriced } from './unpriced.ts';

/** The names at the top of a body that are looked at here and in no schema of ours. */
export const unpricedMessagesNames = ['service_tier', 'container', 'mcp_servers', 'inference_geo', 'speed'] as const;

/** Refuses the first unpriced thing of a messages body that was found good, unless it is allowed. */
export function refuseUnpricedMessages(body: unknown, allowed: Allowed): void {
  if (!isObject(body)) return;
  const refuse = (name: UnpricedName, param: string) => {
    if (allowed.includes(name)) return;
    throw unpriced(name, param, name === 'service_tier' ? "Send 'auto' or 'standard_only', or omit it" : 'Omit it');
  };
  const top = body as Readonly<Partial<Record<(typeof unpricedMessagesNames)[number], unknown>>>;
  const { service_tier: tier, container, mcp_servers: servers, inference_geo: geo, speed } = top;
  if (isThere(tier) && tier !== 'auto' && tier !== 'standard_only') refuse('service_tier', 'service_tier');
  if (isThere(container)) refuse('container', 'container');
  if (Array.isArray(servers) ? servers.length > 0 : isThere(servers)) refuse('mcp', 'mcp_servers');
  if (isThere(geo) && geo !== 'global') refuse('inference_geo', 'inference_geo');
  if (isThere(speed) && speed !== 'standard') refuse('speed', 'speed');
  eachObject(body['tools'], ({ type }, index) => {
    const name = messagesToolOf(type);
    if (name !== undefined) refuse(name, `tools[${index}].type`);
  });
  eachObject(body['messages'], ({ content }, index) =>
    refuseInBlocks(content, `messages[${index}].content`, refuse, 0),
  );
}

/** Tools that the upstream runs, by their dated types. Bash, editor, memory and computer are run by the caller. */
const hosted: readonly (readonly [form: RegExp, name: UnpricedName])[] = [
  [/^web_search/, 'web_search'],
  [/^web_fetch/, 'web_fetch'],
  [/^code_execution/, 'code_execution'],
  [/^advisor/, 'advisor'],
  [/^mcp/, 'mcp'],
];

/** Returns the name of the hosted tool that a tool of this type is, if it is one. */
export const messagesToolOf = (type: unknown): UnpricedName | undefined =>
  typeof type === 'string' ? hosted.find(([form]) => form.test(type))?.[1] : undefined;

/** Blocks within results of tools, and within documents. */
const nestedMax = 4;

function refuseInBlocks(
  blocks: unknown,
  place: string,
  refuse: (name: UnpricedName, param: string) => void,
  depth: number,
): void {
  if (depth > nestedMax) return;
  eachObject(blocks, (block: JsonObject, index) => {
    const { source, content } = block as { source?: unknown; content?: unknown };
    if (isThere(block['file_id'])) refuse('file_id', `${place}[${index}].file_id`);
    if (isObject(source)) {
      if (isThere(source['file_id'])) refuse('file_id', `${place}[${index}].source.file_id`);
      refuseInBlocks(source['content'], `${place}[${index}].source.content`, refuse, depth + 1);
    }
    refuseInBlocks(content, `${place}[${index}].content`, refuse, depth + 1);
  });
}

/**
 * What costs money at an upstream and has no price here: hosted tools, dearer tiers, more answers than are returned, and
 * whatever lies in the operator's own organisation there. A model's price may have
 * an amount for a tool or a tier, and its settings may let each pass, by its name.
 */
import { isObject } from '../json/json-object.ts';
import type { GatewayError } from '../errors.ts';
import type { UnpricedName } from '../unpriced-names.ts';
import { invalid } from './parse.ts';

export type Allowed = readonly UnpricedName[];

/** The names at the top of a body that are looked at here and in no schema of ours, of either endpoint. */
export const unpricedTopNames = ['service_tier', 'best_of', 'web_search_options', 'prompt'] as const;

/** Refuses the first unpriced thing of a chat or responses body that was found good, unless it is allowed. */
export function refuseUnpriced(body: unknown, allowed: Allowed): void {
  if (!isObject(body)) return;
  const refuse = (name: UnpricedName, param: string) => {
    if (!allowed.includes(name)) throw unpriced(name, param);
  };
  const { service_tier: tier, best_of: bestOf, web_search_options: search, prompt } = body as Record<string, unknown>;
  if (isThere(tier) && tier !== 'auto' && tier !== 'default') refuse('service_tier', 'service_tier');
  if (isThere(bestOf) && bestOf !== 1) refuse('best_of', 'best_of');
  if (isThere(search)) refuse('web_search_options', 'web_search_options');
  if (isObject(prompt)) refuse('prompt', 'prompt');
  eachObject(body['tools'], (tool, index) => refuseInTool(tool, `tools[${index}]`, refuse));
  eachObject(body['messages'], ({ content, audio }, index) => {
    if (isObject(audio) && isIdOnly(audio, spoken)) refuse('item_reference', `messages[${index}].audio.id`);
    eachObject(content, (part, at) => refuseInPart(part, refuse, () => `messages[${index}].content[${at}]`));
  });
  eachObject(body['input'], (item, index) => refuseInItem(item, `input[${index}]`, refuse));
}

type Refuse = (name: UnpricedName, param: string) => void;

/** Tools by their types; dated ones such as `web_search_preview_2025_03_11` are of the same family. */
const hosted: readonly (readonly [form: RegExp, name: UnpricedName])[] = [
  [/^web_search/, 'web_search'],
  [/^file_search/, 'file_search'],
  [/^code_interpreter/, 'code_interpreter'],
  [/^image_generation/, 'image_generation'],
  [/^computer/, 'computer_use'],
  [/^mcp/, 'mcp'],
];

/** Returns the name of the hosted tool that a tool of this type is, if it is one. */
export const hostedToolOf = (type: unknown): UnpricedName | undefined =>
  typeof type === 'string' ? hosted.find(([form]) => form.test(type))?.[1] : undefined;

function refuseInTool(tool: JsonObject, place: string, refuse: Refuse): void {
  const { type } = tool as { type?: unknown };
  if (typeof type !== 'string' || type === 'function' || type === 'custom') return;
  const found = hostedToolOf(type);
  if (found) refuse(found, `${place}.type`);
  // A shell is the caller's own, unless the upstream lends a machine for it.
  const { environment } = tool as { environment?: unknown };
  if (type === 'shell' && isObject(environment) && environment['type'] !== 'local')
    refuse('shell', `${place}.environment`);
  if (found !== 'file_search' && isThere(tool['vector_store_ids'])) {
    refuse('vector_store_ids', `${place}.vector_store_ids`);
  }
  if (typeof tool['container'] === 'string') refuse('container', `${place}.container`);
  const { container, input_image_mask: mask } = tool as { container?: unknown; input_image_mask?: unknown };
  if (isObject(container) && isThere(container['file_ids'])) refuse('file_id', `${place}.container.file_ids`);
  if (isObject(mask) && isThere(mask['file_id'])) refuse('file_id', `${place}.input_image_mask.file_id`);
}

/**
 * Where items that the upstream also finds by their id alone have their content. Answers have reasoning with a `summary`,
 * which may be an empty list, and clients send answers back as they are.
 */
const contentsOf: ReadonlyMap<string, readonly string[]> = new Map([
  ['image_generation_call', ['result']],
  ['reasoning', ['encrypted_content', 'summary', 'content']],
  ['compaction', ['encrypted_content']],
]);
const spoken = ['data', 'transcript'];

const isIdOnly = (item: JsonObject, contents: readonly string[]): boolean =>
  isThere(item['id']) && !contents.some((name) => isThere(item[name]) && item[name] !== '');

function refuseInItem(item: JsonObject, place: string, refuse: Refuse): void {
  const { type } = item as { type?: unknown };
  if (type === 'item_reference') refuse('item_reference', `${place}.type`);
  if (type === 'mcp_approval_response') refuse('mcp', `${place}.type`);
  const contents = typeof type === 'string' ? contentsOf.get(type) : undefined;
  if (contents && isIdOnly(item, contents)) refuse('item_reference', `${place}.id`);
  for (const field of ['content', 'output']) {
    const held = item[field];
    if (isObject(held)) refuseInPart(held, refuse, () => `${place}.${field}`);
    else eachObject(held, (part, at) => refuseInPart(part, refuse, () => `${place}.${field}[${at}]`));
  }
}

/** Chat has the id in an object named like the part's type, responses have it in the part itself. */
function refuseInPart(part: JsonObject, refuse: Refuse, place: () => string): void {
  if (isThere(part['file_id'])) refuse('file_id', `${place()}.file_id`);
  const { type } = part as { type?: unknown };
  const held = typeof type === 'string' && Object.hasOwn(part, type) ? part[type] : undefined;
  if (isObject(held) && isThere(held['file_id'])) refuse('file_id', `${place()}.${String(type)}.file_id`);
}

/** The refusal of one; `way` is what the caller can do. */
export function unpriced(
  name: UnpricedName,
  param: string,
  way = name === 'service_tier' ? "Send 'auto' or 'default', or omit it" : 'Omit it',
): GatewayError {
  return invalid(
    param,
    `is not supported: it may cost money at the provider that has no price here, or refer to the operator's own data. ${way}, or ask the operator to allow it with the model's setting 'allow: [${name}]'`,
  );
}

type JsonObject = Readonly<Record<string, unknown>>;

export const isThere = (value: unknown): boolean => value !== undefined && value !== null;

/** Bodies may have a hundred thousand of them, so nothing is made for each. */
export function eachObject(value: unknown, visit: (object: JsonObject, index: number) => void): void {
  if (!Array.isArray(value)) return;
  for (let index = 0; index < value.length; index++) {
    const one: unknown = value[index];
    if (isObject(one)) visit(one, index);
  }
}

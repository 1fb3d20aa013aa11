/**
 * Names of tools that stand in a namespace, as Codex groups those of its servers. Chat has one list of names: there a tool
 * is called by both, and its calls get them back.
 */
import { isObject, type JsonObject } from '../json/json-object.ts';

export interface ToolName {
  name: string;
  namespace: string;
}

/** The name in chat. */
export const flatName = (namespace: string, name: string): string => `${namespace}__${name}`;

/** The names in chat of a responses request's tools that stand in a namespace. */
export function namespacedTools({ tools }: { tools?: unknown }): ReadonlyMap<string, ToolName> {
  const names = new Map<string, ToolName>();
  for (const { type, name: namespace, tools: inner } of objectsOf(tools)) {
    if (type !== 'namespace' || typeof namespace !== 'string') continue;
    for (const { name } of objectsOf(inner)) {
      if (typeof name === 'string') names.set(flatName(namespace, name), { name, namespace });
    }
  }
  return names;
}

const objectsOf = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? (value as readonly unknown[]).filter(isObject) : [];

/** Registering the search attributes of tasks' workflows; without them Temporal refuses to start one, or to end it. */
import type { Connection } from '@temporalio/client';
import { searchAttributes } from './temporal-names.ts';

/** `IndexedValueType` of Temporal's API. */
const typeNumbers = { KEYWORD: 2, INT: 3 } as const;
const typeNames = { KEYWORD: 'Keyword', INT: 'Int' } as const;

/** Of a client or of a worker. */
export type Operator = Pick<Connection, 'operatorService'>;

/** Each with its type as `temporal operator search-attribute create --type` and `tcld` name it. */
export const searchAttributeTypes: ReadonlyMap<string, string> = new Map(
  Object.values(searchAttributes).map(({ name, type }) => [name, typeNames[type]]),
);

/** Makes sure that the namespace knows them; repeating it is no error. Raises what the server says, in gRPC's codes. */
export async function registerSearchAttributes(connection: Operator, namespace: string): Promise<void> {
  const missing = await missingSearchAttributes(connection, namespace);
  if (missing.length === 0) return; // who may only look isn't refused for nothing
  const ofMissing = Object.values(searchAttributes).filter(({ name }) => missing.includes(name));
  await connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(ofMissing.map(({ name, type }) => [name, typeNumbers[type]])),
  });
}

/** The names of those that the namespace doesn't know. */
export async function missingSearchAttributes(connection: Operator, namespace: string): Promise<string[]> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const known = new Set(Object.keys(customAttributes));
  return [...searchAttributeTypes.keys()].filter((name) => !known.has(name));
}

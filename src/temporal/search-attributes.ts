/** Registering the search attributes of tasks' workflows; without them Temporal refuses to start one. */
import type { NativeConnection } from '@temporalio/worker';
import { searchAttributes } from './names.ts';

/** `INDEXED_VALUE_TYPE_KEYWORD` of Temporal's API. */
const keyword_type = 2;

/** Makes sure that the namespace knows them; repeating it is no error. */
export async function registerSearchAttributes(connection: NativeConnection, namespace: string): Promise<void> {
  const names = Object.values(searchAttributes).map(({ name }) => name);
  await connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(names.map((name) => [name, keyword_type])),
  });
}

/** The JSON body of a request, counted among all that this process holds. */
import type { ApiContext } from '../context.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { type JsonBody, readJsonBody } from './json-body.ts';

/**
 * Reads and parses a body as `readJsonBody` does. Refuses with `overloaded`, by its announced length before it is read,
 * where all bodies together would take too much memory; it is counted until the answer is over.
 */
export function requestJson(
  { configuration, gates }: Pick<ApiDependencies, 'configuration' | 'gates'>,
  ctx: ApiContext,
  bytesMax: number = configuration.limits.jsonBytes,
): Promise<JsonBody> {
  const take = (bytes: number) => {
    // After the end of its answer nobody would give it back.
    if (ctx.res.closed) return undefined;
    const refusal = gates.bodyBytes.tryEnter(bytes);
    if (!refusal) ctx.state.bodyBytes = (ctx.state.bodyBytes ?? 0) + bytes;
    return refusal;
  };
  return readJsonBody(ctx.req, { bytesMax, room: { require: (bytes) => gates.bodyBytes.require(bytes), take } });
}

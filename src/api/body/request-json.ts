/** The JSON body of a request, counted among all that this process holds. */
import { noteAsked } from './note-asked.ts';
import { networkOf } from '../server/caller-address.ts';
import type { ApiContext } from '../context.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { BodyMemory } from './body-room.ts';
import { type JsonBody, type JsonBodyOptions, readJsonBody } from './json-body.ts';

export interface RequestJsonOptions extends Pick<JsonBodyOptions, 'names' | 'places'> {
  /** `limits.json_bytes` if absent. */
  bytesMax?: number;
}

/**
 * Reads and parses a body as `readJsonBody` does. Refuses with `overloaded`, by its announced length before it is read,
 * where all bodies together would take too much memory, or those of its account or person more than their share; it is
 * counted until the answer is over. Who calls has to be known by then.
 */
export async function requestJson(
  { configuration, concurrencyLimits }: Pick<ApiDependencies, 'configuration' | 'concurrencyLimits'>,
  ctx: ApiContext,
  { bytesMax = configuration.limits.jsonBytes, names, places }: RequestJsonOptions = {},
): Promise<JsonBody> {
  const { key, personId } = ctx.state;
  // Providers, whose calls are signed, are known as one.
  const owner = key?.accountId ?? personId ?? 'providers';
  const body = await read(ctx, new BodyMemory(concurrencyLimits.bodyBytes, owner), { bytesMax, names, places });
  ctx.state.bodies?.takeRequest(body.bytes);
  noteAsked(ctx, body.value);
  return body;
}

/** E-mail addresses, passwords and the tokens of links are shorter. */
const unknownBytesMax = 4 * 1024;

/** As `requestJson`, for a caller of whom only the address is known: small, and in a small room, of which a network has its share. */
export function requestJsonOfUnknown(
  { concurrencyLimits, callerAddress }: Pick<ApiDependencies, 'concurrencyLimits' | 'callerAddress'>,
  ctx: ApiContext,
  names: ReadonlySet<string>,
): Promise<JsonBody> {
  const room = new BodyMemory(concurrencyLimits.unknownBodyBytes, networkOf(callerAddress(ctx.req)));
  return read(ctx, room, { bytesMax: unknownBytesMax, names, places: undefined });
}

function read(
  ctx: ApiContext,
  room: BodyMemory,
  { bytesMax, names, places }: Pick<JsonBodyOptions, 'bytesMax' | 'names' | 'places'>,
): Promise<JsonBody> {
  if (ctx.res.closed) room.close(); // no event would give it back later
  ctx.state.bodyRoom = room;
  return readJsonBody(ctx.req, { bytesMax, names, places, room });
}

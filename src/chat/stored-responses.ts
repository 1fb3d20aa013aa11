/** Responses that upstreams keep: which account may go on from one, and which route made it. */
import type { ResponsesStreamMeter } from '../domain/chat/responses-meter.ts';
import type { Model } from '../domain/catalogue.ts';
import { GatewayError } from '../domain/errors.ts';
import type { AccountId } from '../domain/ids.ts';
import type { Database } from '../postgres/database.ts';
import { isKeepable } from '../domain/text.ts';
import { findResponse, insertResponse, noteContext, type StoredResponse } from './response-rows.ts';
import type { JsonObject } from '../domain/json/json-object.ts';
import { wholeTokens } from '../domain/usage/openai-usage.ts';
import { type ApiContext, idsOf, keyOf } from '../api/context.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import type { Call } from './call.ts';

/** A response of the account, with the provider that made it; refuses with `response_not_found` any other. */
export async function ownResponse(
  database: Database,
  account: AccountId,
  id: string,
  param?: string,
): Promise<StoredResponse> {
  const isId = id.length <= 200 && isKeepable(id);
  const found = isId ? await findResponse(database, id, account) : undefined;
  if (!found) throw new GatewayError('response_not_found', 'Response not found.', param === undefined ? {} : { param });
  return found;
}

/**
 * Returns the response that a call of this account and model continues, if it does. Refuses with `response_not_found` one
 * that is not its own, and with `invalid_parameter` one that no route of the model leads to.
 */
export async function previousResponse(
  { database, configuration }: Pick<ApiDependencies, 'database' | 'configuration'>,
  { account, model }: { account: AccountId; model: string },
  { previousResponseId: id }: Pick<Call, 'previousResponseId'>,
): Promise<StoredResponse | undefined> {
  if (id === undefined) return undefined;
  const found = await ownResponse(database, account, id, previousParam);
  requireRoute(configuration.models.get(model), found.provider);
  return found;
}

const previousParam = 'previous_response_id';

/** Before anything is held: the provider may have left the model's routes since, or the model never had it. */
function requireRoute(model: Model | undefined, name: string): void {
  if (!model || model.routes.some(({ provider }) => provider === name)) return;
  throw new GatewayError(
    'invalid_parameter',
    `'${model.id}' can't go on from this response: none of its routes leads to where the response was made.`,
    { param: previousParam },
  );
}

/** Notes whose response it is, so that no other account can continue it; and how long it is by `usage`, once that is known. */
export async function keepResponse(
  database: Database,
  account: AccountId,
  response: { id: string; call: Call; provider: string; usage?: JsonObject | undefined },
): Promise<void> {
  const { id, call, provider, usage } = response;
  await insertResponse(database, { id, account, model: call.model.id, provider, contextTokens: lengthBy(usage) });
}

/** Notes a streamed response: its id as soon as that is known, so that a call can continue it, and its length at its end. */
export class ResponseNote {
  readonly #deps: ApiDependencies;
  readonly #ctx: ApiContext;
  readonly #call: Call;
  readonly #provider: string;
  readonly #meter: ResponsesStreamMeter;
  #kept: Promise<void> | undefined;

  constructor(deps: ApiDependencies, ctx: ApiContext, call: Call, provider: string, meter: ResponsesStreamMeter) {
    this.#deps = deps;
    this.#ctx = ctx;
    this.#call = call;
    this.#provider = provider;
    this.#meter = meter;
  }

  /** Notes the id, if it is known and was not noted yet. */
  keepId(): void {
    const { responseId: id } = this.#meter;
    if (this.#kept || id === undefined) return;
    const response = { id, call: this.#call, provider: this.#provider };
    this.#kept = keepResponse(this.#deps.database, keyOf(this.#ctx).accountId, response).catch(this.#logFailure);
  }

  /** Resolves when the id is noted, or could not be; at once where there is none. */
  async idIsKept(): Promise<void> {
    await this.#kept;
  }

  /** Notes in the background how long the response is, so that a call that continues it is held in full. */
  keepLength(): void {
    const { id, usage } = this.#meter.stated;
    if (id === undefined || !usage) return;
    const length = { id, account: keyOf(this.#ctx).accountId, contextTokens: lengthBy(usage) };
    this.#deps.background(noteContext(this.#deps.database, length).catch(this.#logFailure));
  }

  readonly #logFailure = (error: unknown): void =>
    this.#deps.log.error({ err: error, ...idsOf(this.#ctx) }, 'a response could not be noted');
}

/** All that was said so far, reasoning included, which vendors leave out again. */
const lengthBy = (usage: JsonObject | undefined): number | undefined => usage && wholeTokens(usage);

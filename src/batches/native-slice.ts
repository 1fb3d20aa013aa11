/**
 * A slice of a batch that its provider takes as one: the provider's batch API is asked for it under one intent, looked at
 * until it has ended, and its results are collected. What a slice finds is in the intent's row, so any process may run the
 * next one.
 */
import { randomUUID } from 'node:crypto';
import { callEndpoints } from '../domain/call-endpoints.ts';
import { refusalOfKey } from '../domain/billing/admission.ts';
import { type ApiKey, findSealedKey } from '../accounts/api-keys.ts';
import type { Route } from '../chat/call-routes.ts';
import type { BatchStanding } from '../providers/batch-contract.ts';
import { endUnrun, maySend, type RunningBatch, updateProgress } from './batch-rows.ts';
import { type Collected, collectResults } from './collect-results.ts';
import {
  acceptIntent,
  type BatchIntent,
  beginPreparing,
  countSent,
  endMissing,
  findIntent,
  giveUpIntent,
  insertIntent,
  isUntouched,
  noteCancelAsked,
  noteCollected,
  noteDone,
  noteEnded,
  openIntent,
  refuseIntent,
  reopenIntent,
} from './native-intents.ts';
import { type NativeRoute, planRequests, requestsOf } from './native-requests.ts';
import type { BatchSlice, SliceDependencies } from './slice-dependencies.ts';

const balanceAgainMs = 15_000;
const againMs = 30_000;
const othersAgainMs = 5_000;
const pollMsMax = 240_000;
/** 200 MB at some 4 Mbit a second; the slice's activity has ten minutes. */
const uploadMsMax = 420_000;
/** After it a create that was lost is there or never will be. Longer than a create takes, so that none is under way. */
const lostMs = 600_000;
/** How long after its window a job is still waited for that its provider doesn't end, or no longer knows. */
const overdueMs = 86_400_000;

/**
 * Goes on with a batch at its provider, and says when to look again. Undefined: its lines are run one by one, since the
 * model's first route doesn't say otherwise, the provider's batch API doesn't take them, or it left them over.
 */
export async function runNativeSlice(
  deps: SliceDependencies,
  batch: RunningBatch,
  signal: AbortSignal,
): Promise<BatchSlice | undefined> {
  const intent = (await findIntent(deps.database, batch.id)) ?? (await planned(deps, batch, signal));
  if (!intent) return undefined;
  const route = nativeRoute(deps, batch, intent);
  const slice = new NativeSlice(deps, batch, signal);
  switch (intent.state) {
    case 'planned':
    case 'preparing':
      return slice.submit(intent, route);
    case 'open':
      return slice.lookUp(intent, route);
    case 'accepted':
      return slice.look(intent, route);
    case 'ended':
      return slice.collect(intent, route);
    case 'unknown':
      return slice.giveUp('its outcome is not known');
    case 'collected':
    case 'refused':
      return undefined;
  }
}

/** Where a batch is handed to: undefined where its provider is not there any more, or has no such batches. */
function nativeRoute(
  { chatProviders }: SliceDependencies,
  { endpoint: path }: RunningBatch,
  { provider, model }: Pick<BatchIntent, 'provider' | 'model'>,
): NativeRoute | undefined {
  const batches = chatProviders.get(provider)?.batches;
  const endpoint = endpointOf(path);
  return batches && endpoint && batches.endpoints.includes(endpoint) ? { batches, endpoint, model } : undefined;
}

const endpointOf = (path: string): NativeRoute['endpoint'] | undefined =>
  Object.values(callEndpoints).find((one) => `/v1/${one}` === path);

/** Plans a batch that may be handed over, once. */
async function planned(
  deps: SliceDependencies,
  batch: RunningBatch,
  signal: AbortSignal,
): Promise<BatchIntent | undefined> {
  const { database, configuration } = deps;
  const [only, ...others] = batch.terms.keys();
  const first = only === undefined || others.length > 0 ? undefined : configuration.models.get(only)?.routes[0];
  if (first?.batch !== 'native') return undefined;
  const route = nativeRoute(deps, batch, first);
  const key = await usableKey(deps, batch);
  if (!route || !key || !(await isUntouched(database, batch.id)) || !(await maySend(database, batch.id)))
    return undefined;
  const plan = await planRequests(deps, { batch, key, signal }, route);
  if (plan.refused !== undefined)
    deps.log.info({ batchId: batch.id, reason: plan.refused }, 'a batch is run line by line');
  const { provider, model } = first;
  await insertIntent(database, { batchId: batch.id, accountId: batch.accountId, provider, model, ...plan });
  return findIntent(database, batch.id);
}

async function usableKey(
  { database, ledgerKeys }: SliceDependencies,
  { keyId }: RunningBatch,
): Promise<ApiKey | undefined> {
  const key = await findSealedKey(database.pool, ledgerKeys, keyId);
  if (!key || refusalOfKey({ needs: 'chat' }, { status: key.accountStatus }, key, new Date())) return undefined;
  return key;
}

class NativeSlice {
  readonly #deps: SliceDependencies;
  readonly #batch: RunningBatch;
  readonly #signal: AbortSignal;

  constructor(deps: SliceDependencies, batch: RunningBatch, signal: AbortSignal) {
    this.#deps = deps;
    this.#batch = batch;
    this.#signal = signal;
  }

  /** Uploads the requests and sends the paid create, if the account can pay for them. */
  async submit(intent: BatchIntent, route: NativeRoute | undefined): Promise<BatchSlice | undefined> {
    const { database, log } = this.#deps;
    const { id: batchId } = this.#batch;
    if (!route) return this.#runAlone('the provider has no batches any more');
    if (!(await maySend(database, batchId)) || !(await usableKey(this.#deps, this.#batch)))
      return this.#runAlone('it ended before it was sent');
    const nonce = randomUUID();
    if (!(await beginPreparing(database, batchId, nonce))) return this.#again(balanceAgainMs, 'insufficient_balance');
    const { batches, endpoint } = route;
    const requests = {
      ...{ contentType: 'application/json', bytes: intent.bytes, close: () => Promise.resolve() },
      read: () => requestsOf(this.#deps, this.#batch, route),
    };
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(uploadMsMax)]);
    let inputFile: string | undefined;
    if (batches.upload) {
      try {
        const uploaded = await batches.upload(requests, signal);
        if ('refused' in uploaded) return await this.#runAlone(uploaded.refused);
        ({ inputFile } = uploaded);
      } catch (error) {
        log.warn({ err: error, batchId }, 'the requests of a batch could not be uploaded');
        return this.#again(againMs);
      }
    }
    if (!(await openIntent(database, batchId, nonce, inputFile))) return this.#again(othersAgainMs);
    const job = { batchId, endpoint, requests, ...(inputFile !== undefined && { inputFile }) };
    const created = await batches.create(job, signal);
    switch (created.outcome) {
      case 'accepted':
        await this.#accepted(created.jobId, route);
        return this.#again(againMs);
      case 'busy':
        await reopenIntent(database, batchId, nonce);
        return this.#again(againMs, 'provider_busy');
      case 'refused':
        return this.#runAlone(created.reason);
      case 'unknown':
        log.warn({ batchId, reason: created.reason }, 'it is not known whether a provider took a batch');
        return this.#again(againMs);
    }
  }

  /** A create whose answer was lost is looked for, and never sent again. */
  async lookUp({ openedAt }: BatchIntent, route: NativeRoute | undefined): Promise<BatchSlice | undefined> {
    const since = openedAt ?? new Date();
    try {
      const jobId = await route?.batches.find?.(this.#batch.id, since);
      if (route && jobId !== undefined) {
        await this.#accepted(jobId, route);
        return await this.#again(0);
      }
    } catch (error) {
      this.#deps.log.warn({ err: error, batchId: this.#batch.id }, 'a batch could not be looked up at its provider');
      if (!this.#isOverdue()) return this.#again(againMs);
    }
    if (Date.now() - since.getTime() < lostMs) return this.#again(againMs);
    return this.giveUp('its create was lost, and it was not found at the provider');
  }

  /** Asks how far the provider is; a batch that is cancelled, or whose time is over, is cancelled there. */
  async look(intent: BatchIntent, route: NativeRoute | undefined): Promise<BatchSlice | undefined> {
    const { database, log } = this.#deps;
    const { id: batchId } = this.#batch;
    const { jobId } = intent;
    if (jobId === null) throw new TypeError(`${batchId} was accepted and has no job`);
    let standing: BatchStanding;
    try {
      if (!route) throw new Error('the provider has no batches any more');
      const mayGoOn = (await maySend(database, batchId)) && (await usableKey(this.#deps, this.#batch)) !== undefined;
      if (!mayGoOn && intent.cancelAskedAt === null) {
        await route.batches.cancel(jobId);
        await noteCancelAsked(database, batchId);
      }
      standing = await route.batches.poll(jobId);
    } catch (error) {
      log.warn({ err: error, batchId }, 'a provider could not be asked for a batch');
      return this.#isOverdue() ? this.giveUp('the provider can not be asked for it') : this.#again(againMs);
    }
    if (standing.state === 'failed') {
      await this.#forget(intent, route);
      return this.#runAlone(standing.reason);
    }
    if (standing.state === 'running' && standing.done) await noteDone(database, batchId, standing.done);
    if (standing.state === 'running')
      return this.#isOverdue() ? this.giveUp('the provider does not end it') : this.#again(this.#pollMs(intent));
    await noteEnded(database, batchId, standing);
    return this.collect({ ...intent, endedAs: standing.endedAs, results: [...standing.results] }, route);
  }

  /** Charges and stores what the provider did; the rest is run one by one, as far as it still may. */
  async collect(intent: BatchIntent, route: NativeRoute | undefined): Promise<BatchSlice | undefined> {
    const { database, ledgerKeys, log, lineMeter } = this.#deps;
    const { id: batchId, keyId } = this.#batch;
    const key = await findSealedKey(database.pool, ledgerKeys, keyId);
    if (!route || !key) return this.giveUp('its provider or its key is no longer there');
    let collected: Collected;
    try {
      const order = { batch: this.#batch, key, batches: route.batches, route: this.#routeOf(intent, route) };
      collected = await collectResults(this.#deps, { ...order, results: intent.results ?? [] }, this.#signal);
    } catch (error) {
      log.warn({ err: error, batchId }, 'the results of a batch could not be collected');
      return this.#isOverdue() ? this.giveUp('its results can not be collected') : this.#again(againMs);
    }
    switch (collected.stopped) {
      case 'balance':
        return this.#again(balanceAgainMs, 'insufficient_balance');
      case 'key_limit':
      case 'later':
        return this.#again(againMs);
      case 'key':
        lineMeter.count('cancelled', await endUnrun(database, batchId, 'cancelled'));
        break;
      case undefined:
        // A hold of a process that died is swept first, and its line's result is then collected.
        if ((await countSent(database, batchId)) > 0) return this.#again(othersAgainMs);
        if (intent.endedAs === 'completed')
          lineMeter.count('unknown', await endMissing(database, batchId, collected.seen));
    }
    await noteCollected(database, batchId);
    await this.#forget(intent, route);
    return this.#again(0);
  }

  async giveUp(reason: string): Promise<BatchSlice> {
    const { database, log, lineMeter } = this.#deps;
    log.error({ batchId: this.#batch.id, reason }, 'what became of a batch at its provider is not known');
    lineMeter.count('unknown', await giveUpIntent(database, this.#batch.id, reason));
    return this.#again(othersAgainMs);
  }

  /**
   * Has the provider delete the requests and their results, once nothing will read them again. What it doesn't delete, or
   * what a process that dies here leaves, goes when the provider's own time for it is over.
   */
  async #forget({ jobId, inputFile, results }: BatchIntent, route: NativeRoute | undefined): Promise<void> {
    if (!route || jobId === null) return;
    try {
      await route.batches.forget({ jobId, inputFile, results: results ?? [] });
    } catch (error) {
      this.#deps.log.warn({ err: error, batchId: this.#batch.id }, 'a provider still keeps the files of a batch');
    }
  }

  /** A job of a batch that was given up meanwhile is cancelled: what it does would be paid and never collected. */
  async #accepted(jobId: string, { batches }: NativeRoute): Promise<void> {
    const { database, log } = this.#deps;
    if (await acceptIntent(database, this.#batch.id, jobId)) return;
    log.error({ batchId: this.#batch.id, jobId }, 'a provider took a batch that was given up; the job is cancelled');
    await batches.cancel(jobId);
  }

  /** Nothing of it was carried out: from the next slice on its lines are run one by one. */
  async #runAlone(reason: string): Promise<BatchSlice> {
    this.#deps.log.warn({ batchId: this.#batch.id, reason }, 'a provider did not take a batch; it is run line by line');
    await refuseIntent(this.#deps.database, this.#batch.id, reason);
    return this.#again(0);
  }

  #routeOf({ provider: name, model }: BatchIntent, { endpoint }: NativeRoute): Route {
    const provider = this.#deps.chatProviders.get(name);
    if (!provider) throw new TypeError(`no provider ${name}`);
    const [only = ''] = this.#batch.terms.keys();
    const routes = this.#deps.configuration.models.get(only)?.routes ?? [];
    const cost = routes.find((route) => route.provider === name && route.model === model)?.cost;
    return { provider, endpoint, name, model, cost };
  }

  /** A twentieth of the time since it was sent, so that a short one is fetched soon and a long one seldom asked for. */
  #pollMs({ openedAt }: BatchIntent): number {
    const ageMs = openedAt ? Date.now() - openedAt.getTime() : 0;
    return Math.round(Math.min(pollMsMax, Math.max(againMs, ageMs / 20)));
  }

  #isOverdue(): boolean {
    return Date.now() > this.#batch.expiresAt.getTime() + overdueMs;
  }

  async #again(againInMs: number, paused: BatchSlice['paused'] = null): Promise<BatchSlice> {
    const { left } = await updateProgress(this.#deps.database, this.#batch.id, paused);
    return left === 0 ? { left, paused: null, againInMs: 0 } : { left, paused, againInMs };
  }
}

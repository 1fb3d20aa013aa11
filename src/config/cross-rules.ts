/**
 * The rules of `tollgate.yaml` that span several places. They read a loose outline of the document, so that they speak
 * up even when another part of it is wrong.
 */
import { z } from 'zod';
import { callModelKinds, modelKinds, type ModelKind } from '../domain/catalogue.ts';
import type { ProviderKind } from '../domain/provider-kinds.ts';
import { currencyDefault } from '../domain/currency.ts';
import { type Mistake, priceMistakes } from './price-rules.ts';
import { costMistakes } from './route-cost.ts';
import { healthDefault } from './yaml-schema.ts';
import type { Path } from './yaml-document.ts';

/** Settings that would do nothing on a model of another kind, so their author expects something that won't happen. */
const keysOfSomeKinds: readonly { path: readonly [string, ...string[]]; kinds: readonly ModelKind[] }[] = [
  { path: ['quality_scale'], kinds: ['image'] },
  { path: ['on_disconnect'], kinds: callModelKinds },
  { path: ['allow'], kinds: ['chat', 'code'] },
  { path: ['translate'], kinds: ['chat', 'code'] },
  { path: ['limits', 'context_tokens'], kinds: ['chat', 'code', 'embedding', 'rerank'] },
  { path: ['limits', 'max_output_tokens'], kinds: ['chat', 'code'] },
  { path: ['limits', 'max_seconds'], kinds: ['video', 'avatar-video', 'avatar-image', 'avatar-talk'] },
  { path: ['limits', 'durations'], kinds: ['video'] },
  { path: ['limits', 'ratios'], kinds: ['video'] },
  { path: ['limits', 'sizes'], kinds: ['video'] },
  { path: ['limits', 'resolutions'], kinds: ['image'] },
  { path: ['limits', 'references'], kinds: ['image'] },
  { path: ['limits', 'mask'], kinds: ['image'] },
  { path: ['limits', 'variations'], kinds: ['image'] },
];

const reservedRoots = [
  ...['files', 'docs', 'console', 'status', 'status.json'],
  ...['healthz', 'readyz', 'metrics', 'openapi.json', 'favicon.ico'],
];
// Node writes these itself, or a wrong one would spoil the framing of the request.
const reservedHeaders = ['host', 'content-length', 'transfer-encoding', 'connection', 'content-type'];

const maybeText = z.string().optional().catch(undefined);
const mapping = z.record(z.string(), z.unknown()).catch({});
const outlineSchema = z.object({
  currency: z.string().catch(currencyDefault),
  deployments: z.array(z.object({ root: maybeText, health: maybeText }).catch({})).catch([]),
  providers: z
    .record(
      z.string(),
      z
        .looseObject({
          kind: maybeText,
          base_url: z.unknown().optional(),
          messages_base_url: z.unknown().optional(),
          endpoints: z.array(z.unknown()).catch([]),
          headers: mapping,
        })
        .catch({ kind: undefined, base_url: undefined, headers: {}, endpoints: [] }),
    )
    .catch({}),
  models: z
    .array(
      z
        .looseObject({
          id: maybeText,
          kind: z.enum(modelKinds).optional().catch(undefined),
          routes: z
            .array(z.object({ provider: maybeText, cost: mapping.optional(), batch: z.unknown().optional() }).catch({}))
            .catch([]),
          price: mapping.optional(),
        })
        .catch({ routes: [], price: undefined }),
    )
    .catch([]),
});
type Outline = z.output<typeof outlineSchema>;

/** Every mistake that only shows when several places are read together. */
export function crossMistakes(value: unknown, kinds: readonly ProviderKind[]): Mistake[] {
  const parsed = outlineSchema.safeParse(value);
  if (!parsed.success) return []; // not even a mapping: the schema says so
  const outline = parsed.data;
  return [...deploymentMistakes(outline), ...providerMistakes(outline, kinds), ...modelMistakes(outline, kinds)];
}

function* deploymentMistakes({ deployments }: Outline): Iterable<Mistake> {
  const roots: string[] = [];
  const healthAddresses = new Set<string>();
  for (const [index, { root, health: givenHealth }] of deployments.entries()) {
    const path = ['deployments', index];
    if (root !== undefined) {
      if (reservedRoots.includes(root.split('/')[1] ?? '')) {
        const reserved = reservedRoots.map((name) => `/${name}`).join(', ');
        yield { path: [...path, 'root'], message: `must not be below ${reserved}` };
      }
      if (roots.some((other) => `${other}/`.startsWith(`${root}/`) || `${root}/`.startsWith(`${other}/`))) {
        yield { path: [...path, 'root'], message: 'must differ from every other root and must not be below one' };
      }
      roots.push(root);
    }
    const health = givenHealth ?? (root === undefined ? undefined : healthDefault(root));
    if (health === undefined) continue;
    if (healthAddresses.has(health)) {
      yield { path: [...path, 'health'], message: 'must differ from every other health path' };
    }
    healthAddresses.add(health);
  }
}

function* providerMistakes({ providers }: Outline, kinds: readonly ProviderKind[]): Iterable<Mistake> {
  if (Object.keys(providers).length > 1000) yield { path: ['providers'], message: 'must have at most 1000 providers' };
  for (const [name, provider] of Object.entries(providers)) {
    // Names become parts of task queues and of metrics.
    if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name)) {
      yield { path: ['providers', name], message: 'a name must have 1 to 64 characters of A-Z, a-z, 0-9, _ and -' };
    }
    const secrets = kinds.find(({ kind }) => kind === provider.kind)?.secrets ?? {};
    for (const [secret, rule] of Object.entries(secrets)) {
      if (rule !== 'without base_url' || provider.base_url !== undefined || provider[secret] !== undefined) continue;
      yield { path: ['providers', name, secret], message: 'is required without a base_url' };
    }
    if (provider.messages_base_url !== undefined && !provider.endpoints.includes('messages')) {
      const message = "does nothing unless the provider's 'endpoints' have messages";
      yield { path: ['providers', name, 'messages_base_url'], message };
    }
    for (const [header, value] of Object.entries(provider.headers)) {
      const path = ['providers', name, 'headers', header];
      if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/.test(header) || reservedHeaders.includes(header.toLowerCase())) {
        yield { path, message: `must be a header name other than ${reservedHeaders.join(', ')}` };
      } else if (typeof value === 'string' && !/^[\t\x20-\x7e]{0,4096}$/.test(value)) {
        yield { path, message: 'must be a single line of ASCII text' };
      }
    }
  }
}

function* modelMistakes({ currency, models, providers }: Outline, kinds: readonly ProviderKind[]): Iterable<Mistake> {
  const ids = new Set<string>();
  for (const [index, model] of models.entries()) {
    const path = ['models', index];
    if (model.id !== undefined) {
      if (ids.has(model.id))
        yield { path: [...path, 'id'], message: 'must be unique: an earlier model has the same id' };
      ids.add(model.id);
    }
    for (const [number, { provider: name, batch }] of model.routes.entries()) {
      if (name === undefined) continue;
      const place = [...path, 'routes', number, 'provider'];
      const provider = Object.hasOwn(providers, name) ? providers[name] : undefined;
      if (provider === undefined) {
        yield {
          path: place,
          message: `must be one of the providers: ${Object.keys(providers).join(', ') || 'there are none'}`,
        };
        continue;
      }
      const definition = kinds.find(({ kind }) => kind === provider.kind);
      if (batch !== undefined)
        yield* nativeMistakes(model, { number, kind: definition, kinds }, [...path, 'routes', number]);
      const serves = definition?.serves;
      if (serves !== undefined && model.kind !== undefined && !serves.includes(model.kind)) {
        const message = `is a provider of kind ${String(provider.kind)}, which only serves models of kind ${serves.join(', ')}`;
        yield { path: place, message };
      }
    }
    if (model.kind !== undefined) yield* kindMistakes(model, { kind: model.kind, currency }, path);
  }
}

/** The kinds of model that have an endpoint which a batch API takes. */
const kindsInBatches: readonly ModelKind[] = ['chat', 'code', 'embedding', 'moderation'];

function* nativeMistakes(
  model: Outline['models'][number],
  { number, kind, kinds }: { number: number; kind: ProviderKind | undefined; kinds: readonly ProviderKind[] },
  path: Path,
): Iterable<Mistake> {
  const place = [...path, 'batch'];
  if (kind && !kind.batches) {
    const able = kinds.flatMap((one) => (one.batches ? [one.kind] : [])).join(', ');
    yield { path: place, message: `is only for providers of kind ${able}: others have no batch API` };
  } else if (model.kind !== undefined && !kindsInBatches.includes(model.kind)) {
    yield { path: place, message: `is not allowed for kind ${model.kind}, only for ${kindsInBatches.join(', ')}` };
  } else if (number > 0) {
    yield { path: place, message: 'does nothing but on the first of the routes' };
  }
}

function* kindMistakes(
  model: Outline['models'][number],
  { kind, currency }: { kind: ModelKind; currency: string },
  path: Path,
): Iterable<Mistake> {
  if (model.price !== undefined) yield* priceMistakes(model.price, kind, [...path, 'price']);
  for (const [number, { cost }] of model.routes.entries())
    if (cost !== undefined) yield* costMistakes(cost, kind, currency, [...path, 'routes', number, 'cost']);
  for (const { path: below, kinds } of keysOfSomeKinds) {
    if (!kinds.includes(kind) && valueAt(model, below) !== undefined) {
      yield { path: [...path, ...below], message: `is not allowed for kind ${kind}, only for ${kinds.join(', ')}` };
    }
  }
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (found, key) =>
      found !== null && typeof found === 'object'
        ? Object.entries(found).find(([name]) => name === key)?.[1]
        : undefined,
    value,
  );
}

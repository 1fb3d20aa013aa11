/** The gateway in front of the upstream, with an account whose key has limits of every kind. */
import { startGateway as start } from '../gateway.ts';
import { price, type Purse } from './ledger-check.ts';
import { plain, type Target } from './targets.ts';

export interface Gateway extends Target {
  purse: Purse;
}

const openingBalance = 1_000_000;

/** A `tollgate.yaml` with a model that leads to the upstream, one that asks it for chat alone, and one of embeddings. */
export const configurationFor = (upstream: string): string => `
providers:
  mock: { kind: openai, base_url: "${upstream}/v1", api_key: sk-mock, endpoints: [chat, messages, embeddings] }
  mock-chat: { kind: openai, base_url: "${upstream}/v1", api_key: sk-mock, endpoints: [chat] }
models:
  - id: bench
    kind: chat
    owned_by: bench
    routes: [{ provider: mock, model: mock }]
    price: { input_per_million: ${price.input}, output_per_million: ${price.output} }
  - id: bench-translated
    kind: chat
    owned_by: bench
    translate: true
    routes: [{ provider: mock-chat, model: mock }]
    price: { input_per_million: ${price.input}, output_per_million: ${price.output} }
  - id: bench-embedding
    kind: embedding
    owned_by: bench
    routes: [{ provider: mock, model: mock }]
    price: { input_per_million: ${price.input} }
`;

/** Limits of every kind, none of them in reach: they are counted all the same. */
const limits = [
  ...['minute', 'hour', 'day'].flatMap((window) => ['--call-limit', `999999999/${window}`]),
  ...[
    '--spend-limit',
    `${openingBalance}/day`,
    '--max-running-tasks',
    '10',
    '--models',
    'bench,bench-translated,bench-embedding',
  ],
];

/** Builds what is stale, starts the gateway in front of an upstream, and makes an account with a limited key. */
export async function startGateway(upstream: string, node = process.execPath): Promise<Gateway> {
  const gateway = await start({ configuration: configurationFor(upstream), node });
  const { url, pid, databaseUrl, stop } = gateway;
  try {
    const { account, secret } = await gateway.customer(openingBalance, '--level', 'chat', ...limits);
    return {
      ...plain,
      name: 'tollgate',
      title: 'Tollgate, its PostgreSQL counted',
      url,
      model: 'bench',
      translatedModel: 'bench-translated',
      embeddingModel: 'bench-embedding',
      headers: { Authorization: `Bearer ${secret}` },
      pid,
      counted: ['own', 'postgres'],
      purse: { databaseUrl, account, openingBalance },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

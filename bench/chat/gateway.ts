/** The gateway in front of the upstream, with an account whose key has limits of every kind. */
import { startGateway as start } from '../gateway.ts';
import { price, type Purse } from './ledger-check.ts';
import { pathOfChat, plain, type Target } from './targets.ts';

export interface Gateway extends Target {
  purse: Purse;
}

const balance_yuan = 1_000_000;

/** A `tollgate.yaml` with one model, which leads to the upstream. */
export const configurationFor = (upstream: string): string => `
providers:
  mock: { kind: openai, base_url: "${upstream}/v1", api_key: sk-mock }
models:
  - id: bench
    kind: chat
    owned_by: bench
    routes: [{ provider: mock, model: mock }]
    price: { input_per_million: ${price.input}, output_per_million: ${price.output} }
`;

/** Limits of every kind, none of them in reach: they are counted all the same. */
const limits = [
  ...['minute', 'hour', 'day'].flatMap((window) => ['--call-limit', `999999999/${window}`]),
  ...['--spend-limit', `${balance_yuan}/day`, '--max-running-tasks', '10', '--models', 'bench'],
];

/** Builds what is stale, starts the gateway in front of an upstream, and makes an account with a limited key. */
export async function startGateway(upstream: string): Promise<Gateway> {
  const gateway = await start({ configuration: configurationFor(upstream) });
  const { url, pid, databaseUrl, stop } = gateway;
  try {
    const { account, secret } = await gateway.customer(balance_yuan, '--level', 'chat', ...limits);
    return {
      ...plain,
      name: 'tollgate',
      title: 'Tollgate, its PostgreSQL counted',
      url: url + pathOfChat,
      model: 'bench',
      headers: { Authorization: `Bearer ${secret}` },
      pid,
      counted: ['own', 'postgres'],
      purse: { databaseUrl, account, balanceYuan: balance_yuan },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

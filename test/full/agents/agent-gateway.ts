/** The gateway that the agents' tests share: its simulator, a vendor with tools, and a place that notes its calls. */
import { createServer, type IncomingMessage, request as send, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { builtInConfiguration } from '../../../src/config/built-in.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { openToolVendor, type ToolVendor } from '../../support/tool-vendor/vendor.ts';

export interface AgentGateway {
  gateway: TestGateway;
  vendor: ToolVendor;
  /** The gateway's address for agents: calls through it are noted. */
  url: string;
  calls: AgentCall[];
  stop(): Promise<void>;
}

/** A call that an agent made, and how it was answered. */
export interface AgentCall {
  path: string;
  /** The one that it was made with. */
  key: string;
  status: number;
  requestId: string;
}

export async function startAgentGateway(): Promise<AgentGateway> {
  const vendor = await openToolVendor();
  const gateway = await startTestGateway({ configuration: configurationWith(vendor.url), worker: false });
  const calls: AgentCall[] = [];
  const noted = createServer((request, response) => passOn(gateway.url, request, response, calls));
  await new Promise<void>((resolve) => noted.listen(0, '127.0.0.1', resolve));
  return {
    ...{ gateway, vendor, calls },
    url: `http://127.0.0.1:${(noted.address() as AddressInfo).port}`,
    async stop() {
      noted.closeAllConnections();
      noted.close();
      await gateway.stop();
      await vendor.close();
    },
  };
}

function passOn(to: string, request: IncomingMessage, response: ServerResponse, calls: AgentCall[]): void {
  const { method, url = '/', headers } = request;
  const onward = send(new URL(url, to), { method, headers }, (answer) => {
    calls.push({
      path: url.replace(/\?.*/, ''),
      key: String(headers['x-api-key'] ?? headers.authorization?.replace(/^Bearer /i, '')),
      status: answer.statusCode ?? 0,
      requestId: String(answer.headers['x-request-id']),
    });
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  request.pipe(onward);
}

/** Prices that differ for every kind of token, so that none is booked as another. */
const price =
  '{ input_per_million: 100, cached_input_per_million: 10, cache_write_per_million: 125, output_per_million: 500 }';

/** The built-in models, and the vendor's: in each form, and in chat completions alone. */
const configurationWith = (url: string): string =>
  builtInConfiguration.replace(
    'models:\n',
    `  vendor:
    kind: openai
    base_url: '${url}'
    api_key: sk-of-the-operator
    endpoints: [chat, responses, messages]
    messages_base_url: '${url}'
  chat-vendor: { kind: openai, base_url: '${url}', api_key: sk-of-the-operator, endpoints: [chat] }
models:
  - id: vendor-model
    kind: chat
    routes: [{ provider: vendor, model: with-tools }]
    price: ${price}
  - id: translated-model
    kind: chat
    routes: [{ provider: chat-vendor, model: with-tools }]
    price: ${price}
    translate: true
`,
  );

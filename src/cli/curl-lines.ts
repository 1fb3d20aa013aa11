/** A curl line for each operation that a model is offered for, to be pasted as it stands. */
import { firstOfKind } from '../api/model-catalogue.ts';
import { type Deployment, type Model, type ModelKind } from '../domain/catalogue.ts';
import type { Samples } from '../embedded/samples.ts';
import type { Configuration } from '../config/configuration.ts';

/** Takes the id out of an answer; an answer without one, such as an error, stays as it is and so is seen. */
const idOfAnswer = `sed 's/.*"id":"\\([^"]*\\)".*/\\1/'`;
/** Each answer ends its line, and no progress meter gets between. */
const curl = `curl -s -w '\\n'`;
/** Short, since a line in a terminal is 80 columns: the first line sets both, under the names of the guides' examples. */
const auth = '-H "Authorization: Bearer $TOLLGATE_API_KEY"';
const url = '$URL';

type Offered = Pick<Configuration, 'deployments' | 'models'>;

/**
 * Lines for the first published model of each kind; operations of kinds without one are left out. The first line exports
 * the address and, where it is known, the key; else the shell has to have it.
 */
export function curlLines(address: string, key: string | undefined, offered: Offered, samples: Samples): string[] {
  const [deployment] = offered.deployments;
  if (!deployment) return [];
  const base = `${url}${deployment.root}`;
  const [chat, code, image, video, talk] = (['chat', 'code', 'image', 'video', 'avatar-talk'] as const).map((kind) =>
    firstModel(offered, kind),
  );
  return [
    `export URL=${address}${key === undefined ? '' : ` TOLLGATE_API_KEY=${key}`}`,
    ...(chat || code ? textLines(deployment.root, chat, code) : []),
    ...readingLines(base, offered),
    ...(image ? imageLines(offered.deployments, image) : []),
    ...(video ? videoLines(base, deployment, video) : []),
    ...(talk ? avatarTalkLines(base, samples) : []),
    ...entry(
      'Models, model health, balance and ledger',
      `${curl} ${base}/models ${auth}`,
      `${curl} ${url}${deployment.health}`,
      `${curl} ${base}/account ${auth}`,
      `${curl} ${base}/account/ledger ${auth}`,
    ),
  ];
}

/** Calls whose models read and write no text. */
const readingCalls = [
  { kind: 'embedding', what: 'Embeddings', path: '/embeddings', body: { input: ['A toll gate', 'A bridge'] } },
  { kind: 'moderation', what: 'moderation', path: '/moderations', body: { input: 'A toll gate at dawn' } },
  {
    kind: 'rerank',
    what: 'rerank: documents by their relevance to a query',
    path: '/rerank',
    body: { query: 'toll', documents: ['A toll gate', 'A bridge'] },
  },
] as const satisfies readonly { kind: ModelKind; what: string; path: string; body: Record<string, unknown> }[];

function readingLines(base: string, offered: Offered): string[] {
  const calls = readingCalls.flatMap(({ kind, what, path, body }) => {
    const model = firstModel(offered, kind);
    return model ? [{ what, line: `${curl} ${base}${path} ${sending({ model: model.id, ...body })}` }] : [];
  });
  if (calls.length === 0) return [];
  return entry(calls.map(({ what }) => what).join(', '), ...calls.map(({ line }) => line));
}

function firstModel(offered: Offered, kind: ModelKind): Model | undefined {
  const id = firstOfKind(offered, kind);
  return id === undefined ? undefined : offered.models.get(id);
}

function textLines(root: string, chat: Model | undefined, code: Model | undefined): string[] {
  const base = `${url}${root}`;
  const messages = [{ role: 'user', content: 'Hello' }];
  const chats = chat && [
    `${curl} ${base}/chat/completions ${sending({ model: chat.id, messages })}`,
    `${curl} -N ${base}/chat/completions ${sending({ model: chat.id, stream: true, messages })}`,
  ];
  const responses = code && [`${curl} ${base}/responses ${sending({ model: code.id, input: 'A function that adds' })}`];
  const what = 'Chat, without and with streaming';
  if (!chats) return entry('A code model on the Responses API', ...(responses ?? []));
  if (!responses) return entry(what, ...chats);
  return entry(`${what}; code models also support ${root}/responses`, ...chats, ...responses);
}

/** Once waiting for the result and once not, on the roots that do so by themselves where there are such. */
function imageLines(deployments: readonly Deployment[], image: Model): string[] {
  const [first] = deployments;
  const waits = deployments.find(({ imageWaitSeconds }) => imageWaitSeconds > 0);
  const returns = deployments.find(({ imageWaitSeconds }) => imageWaitSeconds === 0);
  const path = (deployment = first) => `${url}${deployment?.root ?? ''}/images/generations`;
  const waiting = `${path(waits)} ${waits ? auth : `${auth} ${preferring(waitedSeconds)}`}`;
  const returning = `${path(returns)} ${returns ? auth : `${auth} ${preferring(0)}`}`;
  const size = sizeOf(image);
  return entry(
    'An image: wait for its link; or get the ID at once, then poll',
    `${curl} ${withBody(waiting, { model: image.id, prompt: 'A toll gate at dawn', ...size })}`,
    createLine(withBody(returning, { model: image.id, prompt: 'A toll gate at dusk' })),
    `${curl} ${path(returns)}/$ID ${auth}`,
  );
}

function videoLines(base: string, { videoWaitSeconds }: Deployment, video: Model): string[] {
  const address = `${base}/video/generations`;
  const waiting = videoWaitSeconds > 0 ? auth : `${auth} ${preferring(waitedSeconds)}`;
  const body = { model: video.id, prompt: 'Cars pass a toll gate', duration: durationOf(video) };
  return entry(
    'A video: create it, then get the record with its link',
    createLine(withBody(`${address} ${waiting}`, body)),
    `${curl} ${address}/$ID ${auth}`,
  );
}

function avatarTalkLines(base: string, samples: Samples): string[] {
  const address = `${base}/svctalk/generate`;
  const saved = `-o avatar-talk.mp4 -w '%{http_code} %{content_type} %{size_download} bytes\\n'`;
  return entry(
    'Avatar-talk: upload audio and video, poll, and save the result once',
    createLine(`${address} ${auth} -F ${part('audio', samples.audio)} -F ${part('video', samples.video)}`),
    `while curl -s ${saved} ${address}/$ID ${auth} && grep -q '"processing"' avatar-talk.mp4; do sleep 1; done`,
  );
}

/** As long as a creation may wait at most. */
const waitedSeconds = 300;
const preferring = (seconds: number): string => `-H 'Prefer: wait=${seconds}'`;

/** What the model takes; one that lacks 1k makes its own choice. */
function sizeOf({ limits: { resolutions } }: Model): { size?: string } {
  return !resolutions || resolutions.includes('1k') ? { size: '1024x1024' } : {};
}

function durationOf({ limits: { durations } }: Model): number {
  return !durations || durations.includes(5) ? 5 : (durations[0] ?? 5);
}

const entry = (what: string, ...lines: string[]): string[] => [`# ${what}`, ...lines];
const createLine = (call: string): string => `ID=$(curl -s ${call} | ${idOfAnswer}); echo "$ID"`;
const sending = (body: unknown): string => withBody(auth, body);
const withBody = (call: string, body: unknown): string =>
  `${call} -H 'Content-Type: application/json' -d ${forShell(JSON.stringify(body))}`;

/** A form part with a file: quoted for curl, to which `;` and `,` in a path mean something, and then for the shell. */
const part = (name: string, path: string): string =>
  forShell(`${name}=@"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`);

const forShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

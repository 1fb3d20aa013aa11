/** What the upstream of the benchmark answers, byte for byte, and the clock that its chunks are stamped with. */

/** The usage that the upstream reports: what the ledger has to charge for. */
export const jsonUsage = { input: 90, output: 30 };
export const streamUsage = { input: 90, output: 50 };
/** At the price of input what a whole answer costs, so that the ledger has one sum to show. */
export const embeddingsUsage = { input: 210, output: 0 };

/** The forms that calls come in: where each is sent, and what its answers are known by. */
export const forms = {
  chat: {
    path: '/v1/chat/completions',
    /** Comes before the time in every content chunk. */
    marker: '"content":"@',
    /** What has the usage of a stream, and of a whole answer. */
    usage: '"total_tokens":',
    wholeUsage: '"total_tokens":',
    /** The end of a stream. */
    done: 'data: [DONE]',
  },
  messages: {
    path: '/v1/messages',
    marker: '"text":"@',
    usage: '"type":"message_delta"',
    wholeUsage: '"output_tokens":',
    done: '"type":"message_stop"',
  },
  /** Never streamed. */
  embeddings: {
    path: '/v1/embeddings',
    marker: '"embedding":"@',
    usage: '"total_tokens":',
    wholeUsage: '"total_tokens":',
    done: ']}',
  },
} as const;
export type CallForm = keyof typeof forms;

export const stampDigits = 16;

/** Milliseconds of the machine's monotonic clock, the same in all its processes; exact to about a microsecond. */
export function clockMs(): number {
  // Not an offset to performance.now(): the process may be put aside between the two reads, and is then wrong for good.
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/** The clock in microseconds, as many digits always. */
export const stamp = (): string =>
  Math.floor(clockMs() * 1000)
    .toString()
    .padStart(stampDigits, '0');

const choice =
  '{"index":0,"message":{"role":"assistant","content":"A log on the disk of the tables shares its queue: a burst of checkpoint writes ' +
  'delays every commit, and one broken disk takes both. It is cheap, though, and simple to back up.","refusal":null},' +
  '"logprobs":null,"finish_reason":"stop"}';

export const jsonAnswer =
  '{"id":"chatcmpl-bench","object":"chat.completion","created":1767225600,"model":"mock",' +
  `"choices":[${choice}],"usage":${usageText(jsonUsage)},"system_fingerprint":"fp_bench"}`;

const chunkHead =
  'data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1767225600,"model":"mock","choices":[';
const contentHead = `${chunkHead}{"index":0,"delta":{${forms.chat.marker}`;
const contentTail = ' and so on"},"logprobs":null,"finish_reason":null}]}\n\n';

/** The events of a stream as HTTP chunks, an event each, as upstreams that flush every event send them. */
export interface Frames {
  begin: string;
  /** With the time at which it is sent. */
  content: (at: string) => string;
  finish: string;
  usage: string;
  done: string;
}

const chatFrames: Frames = {
  begin: frame(
    `${chunkHead}{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}\n\n`,
  ),
  content: stamped(contentHead, contentTail),
  finish: frame(`${chunkHead}{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}]}\n\n`),
  usage: frame(`${chunkHead}],"usage":${usageText(streamUsage)}}\n\n`),
  done: frame('data: [DONE]\n\n'),
};

export const messagesAnswer =
  '{"id":"msg_bench","type":"message","role":"assistant","model":"mock","content":[{"type":"text","text":' +
  '"A log on the disk of the tables shares its queue: a burst of checkpoint writes delays every commit, and one broken ' +
  'disk takes both. It is cheap, though, and simple to back up."}],"stop_reason":"end_turn","stop_sequence":null,' +
  `"usage":${messagesUsage(jsonUsage)}}`;

const messagesFrames: Frames = {
  begin:
    event(
      'message_start',
      '"message":{"id":"msg_bench","type":"message","role":"assistant","model":"mock","content":[],"stop_reason":null,' +
        `"stop_sequence":null,"usage":${messagesUsage({ ...streamUsage, output: 1 })}}`,
    ) + event('content_block_start', '"index":0,"content_block":{"type":"text","text":""}'),
  content: stamped(
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta",' +
      forms.messages.marker,
    ' and so on"}}\n\n',
  ),
  finish: event('content_block_stop', '"index":0'),
  usage: event(
    'message_delta',
    `"delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":${streamUsage.output}}`,
  ),
  done: frame('event: message_stop\ndata: {"type":"message_stop"}\n\n'),
};

/** One vector of 1,536 numbers, as base64. */
export const embeddingsAnswer =
  `{"object":"list","data":[{"object":"embedding","index":0,"embedding":"${'AAAAPwAAgL4A'.repeat(682)}AAAAPwAA"}],` +
  `"model":"mock","usage":${usageText(embeddingsUsage)}}`;

export const framesOf: Readonly<Record<Exclude<CallForm, 'embeddings'>, Frames>> = {
  chat: chatFrames,
  messages: messagesFrames,
};
export const lastFrame = '0\r\n\r\n';

function stamped(head: string, tail: string): Frames['content'] {
  const frameHead = `${(head.length + stampDigits + tail.length).toString(16)}\r\n${head}`;
  const frameTail = `${tail}\r\n`;
  return (at) => frameHead + at + frameTail;
}

function event(type: string, members: string): string {
  return frame(`event: ${type}\ndata: {"type":"${type}",${members}}\n\n`);
}

function frame(event: string): string {
  return `${event.length.toString(16)}\r\n${event}\r\n`;
}

function usageText({ input, output }: { input: number; output: number }): string {
  return `{"prompt_tokens":${input},"completion_tokens":${output},"total_tokens":${input + output}}`;
}

function messagesUsage({ input, output }: { input: number; output: number }): string {
  return `{"input_tokens":${input},"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":${output}}`;
}

/** What the upstream of the benchmark answers, byte for byte, and the clock that its chunks are stamped with. */

/** The usage that the upstream reports: what the ledger has to charge for. */
export const jsonUsage = { input: 90, output: 30 };
export const streamUsage = { input: 90, output: 50 };

/** Comes before the time in every content chunk. */
export const marker = '"content":"@';
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
const contentHead = `${chunkHead}{"index":0,"delta":{${marker}`;
const contentTail = ' and so on"},"logprobs":null,"finish_reason":null}]}\n\n';
const contentLength = (contentHead.length + stampDigits + contentTail.length).toString(16);
const contentFrameHead = `${contentLength}\r\n${contentHead}`;
const contentFrameTail = `${contentTail}\r\n`;

/** Events as HTTP chunks, an event each, as upstreams that flush every event send them. */
export const frames = {
  role: frame(
    `${chunkHead}{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}\n\n`,
  ),
  content: (at: string) => contentFrameHead + at + contentFrameTail,
  finish: frame(`${chunkHead}{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}]}\n\n`),
  usage: frame(`${chunkHead}],"usage":${usageText(streamUsage)}}\n\n`),
  done: frame('data: [DONE]\n\n'),
  end: '0\r\n\r\n',
};

function frame(event: string): string {
  return `${event.length.toString(16)}\r\n${event}\r\n`;
}

function usageText({ input, output }: { input: number; output: number }): string {
  return `{"prompt_tokens":${input},"completion_tokens":${output},"total_tokens":${input + output}}`;
}

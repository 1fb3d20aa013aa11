/**
 * Usage objects as providers publish them, with price lists of theirs and what each costs, worked out by hand: the sum is
 * written beside it, in micro-units of the currency (a price of 2.50 a million is 2.5 of them a token).
 */
import type { TokenPrice } from '../../../src/domain/billing/token-card.ts';
import { type Money, micros } from '../../../src/domain/money.ts';
import type { OddReason } from '../../../src/domain/usage/odd-reasons.ts';
import type { UsageForm } from '../../../src/domain/usage/vendor-usage.ts';

export interface PublishedUsage {
  vendor: string;
  what: string;
  form: UsageForm;
  price: TokenPrice;
  usage: Record<string, unknown>;
  tier?: string;
  /** Items of a response's output. */
  output?: readonly unknown[];
  /** When the call was admitted; noon in UTC if nothing is said. */
  at?: string;
  /** The sum, as it is worked out by hand. */
  sum: string;
  costs: bigint;
  odd?: readonly OddReason[];
}

/** Of an amount in whole units of the currency. */
const per = (amount: string): Money => {
  const [whole = '0', fraction = ''] = amount.split('.');
  return micros(BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0')));
};
const text = (input: string, output: string, cached?: string): TokenPrice => ({
  unit: 'token',
  inputPerMillion: per(input),
  outputPerMillion: per(output),
  ...(cached !== undefined && { cachedInputPerMillion: per(cached) }),
});

const gpt5: TokenPrice = {
  ...text('1.25', '10', '0.125'),
  perToolCall: { web_search: per('0.01'), file_search: per('0.0025'), code_interpreter: per('0.03') },
  serviceTiers: {
    flex: { inputPerMillion: per('0.625'), cachedInputPerMillion: per('0.0625'), outputPerMillion: per('5') },
    priority: { inputPerMillion: per('2.5'), cachedInputPerMillion: per('0.25'), outputPerMillion: per('20') },
  },
};
/** With writes at 1.25 times its input and a dearer card for long prompts. */
const gptLong: TokenPrice = {
  ...text('2.5', '15', '0.25'),
  cacheWritePerMillion: per('3.125'),
  above: [
    {
      inputTokens: 272_000,
      inputPerMillion: per('5'),
      cachedInputPerMillion: per('0.5'),
      cacheWritePerMillion: per('6.25'),
      outputPerMillion: per('22.5'),
    },
  ],
};
const gptAudio: TokenPrice = {
  ...text('2.5', '10'),
  audioInputPerMillion: per('40'),
  audioOutputPerMillion: per('80'),
};
const gptSearch: TokenPrice = { ...text('2.5', '10'), perToolCall: { web_search: per('0.025') } };
const sonnet: TokenPrice = {
  ...text('3', '15', '0.3'),
  cacheWritePerMillion: per('3.75'),
  cacheWrite1hPerMillion: per('6'),
  perToolCall: { web_search: per('0.01') },
  batch: {
    inputPerMillion: per('1.5'),
    outputPerMillion: per('7.5'),
    cachedInputPerMillion: per('0.15'),
    cacheWritePerMillion: per('1.875'),
    cacheWrite1hPerMillion: per('3'),
  },
  above: [
    {
      inputTokens: 200_001,
      inputPerMillion: per('6'),
      outputPerMillion: per('22.5'),
      cachedInputPerMillion: per('0.6'),
      cacheWritePerMillion: per('7.5'),
      cacheWrite1hPerMillion: per('12'),
    },
  ],
};
const geminiPro: TokenPrice = {
  ...text('1.25', '10', '0.125'),
  above: [
    {
      inputTokens: 200_001,
      inputPerMillion: per('2.5'),
      outputPerMillion: per('15'),
      cachedInputPerMillion: per('0.25'),
    },
  ],
};
const geminiFlash: TokenPrice = { ...text('0.3', '2.5', '0.075'), audioInputPerMillion: per('1') };
const grok: TokenPrice = {
  ...text('3', '15', '0.75'),
  perToolCall: { web_search: per('0.005'), x_search: per('0.005'), search_source: per('0.025') },
  above: [{ inputTokens: 128_000, inputPerMillion: per('6'), outputPerMillion: per('30') }],
};
const deepseek: TokenPrice = {
  ...text('2', '3', '0.2'),
  hours: [{ from: 30, to: 510, timeZone: 'Asia/Shanghai', inputPerMillion: per('1'), outputPerMillion: per('1.5') }],
};
const qwenCache: TokenPrice = {
  ...text('3.2', '12.8', '0.32'),
  cacheWritePerMillion: per('4'),
  above: [{ inputTokens: 32_001, inputPerMillion: per('6.4'), outputPerMillion: per('25.6') }],
};
const qwenOmni: TokenPrice = {
  ...text('1.8', '6.9'),
  audioInputPerMillion: per('15.8'),
  imageInputPerMillion: per('3.3'),
  audioOutputPerMillion: per('62.6'),
};
const sonar: TokenPrice = { ...text('3', '15'), perToolCall: { web_search: per('0.005') }, perCall: per('0.006') };

export const publishedUsages: readonly PublishedUsage[] = [
  {
    vendor: 'OpenAI chat',
    what: 'plain text',
    form: 'chat',
    price: gpt5,
    usage: {
      prompt_tokens: 19,
      completion_tokens: 10,
      total_tokens: 29,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
      completion_tokens_details: {
        reasoning_tokens: 0,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    },
    tier: 'default',
    sum: '19 x 1.25 + 10 x 10 = 23.75 + 100 = 123.75',
    costs: 124n,
  },
  {
    vendor: 'OpenAI chat',
    what: 'a cached prompt',
    form: 'chat',
    price: gpt5,
    usage: {
      prompt_tokens: 2006,
      completion_tokens: 300,
      total_tokens: 2306,
      prompt_tokens_details: { cached_tokens: 1920, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 192, audio_tokens: 0 },
    },
    sum: '86 x 1.25 + 1920 x 0.125 + 300 x 10 = 107.5 + 240 + 3000 = 3347.5',
    costs: 3348n,
  },
  {
    vendor: 'OpenAI chat',
    what: 'the flex tier',
    form: 'chat',
    price: gpt5,
    usage: {
      prompt_tokens: 1117,
      completion_tokens: 46,
      total_tokens: 1163,
      prompt_tokens_details: { cached_tokens: 1024 },
    },
    tier: 'flex',
    sum: '93 x 0.625 + 1024 x 0.0625 + 46 x 5 = 58.125 + 64 + 230 = 352.125',
    costs: 352n,
  },
  {
    vendor: 'OpenAI chat',
    what: 'the priority tier',
    form: 'chat',
    price: gpt5,
    usage: {
      prompt_tokens: 1000,
      completion_tokens: 100,
      total_tokens: 1100,
      prompt_tokens_details: { cached_tokens: 0 },
    },
    tier: 'priority',
    sum: '1000 x 2.5 + 100 x 20 = 2500 + 2000 = 4500',
    costs: 4500n,
  },
  {
    vendor: 'OpenAI chat',
    what: 'reads and writes of its cache, which are disjoint parts of the prompt',
    form: 'chat',
    price: gptLong,
    usage: {
      prompt_tokens: 2600,
      completion_tokens: 50,
      total_tokens: 2650,
      prompt_tokens_details: { cached_tokens: 2000, cache_write_tokens: 400 },
    },
    sum: '200 x 2.5 + 2000 x 0.25 + 400 x 3.125 + 50 x 15 = 500 + 500 + 1250 + 750',
    costs: 3000n,
  },
  {
    vendor: 'OpenAI chat',
    what: 'a prompt of 272,000 tokens, caches included',
    form: 'chat',
    price: gptLong,
    usage: {
      prompt_tokens: 272_000,
      completion_tokens: 1000,
      total_tokens: 273_000,
      prompt_tokens_details: { cached_tokens: 200_000, cache_write_tokens: 70_000 },
    },
    sum: '2000 x 5 + 200000 x 0.5 + 70000 x 6.25 + 1000 x 22.5 = 10000 + 100000 + 437500 + 22500',
    costs: 570_000n,
  },
  {
    vendor: 'OpenAI chat',
    what: 'one token less',
    form: 'chat',
    price: gptLong,
    usage: {
      prompt_tokens: 271_999,
      completion_tokens: 1000,
      total_tokens: 272_999,
      prompt_tokens_details: { cached_tokens: 200_000, cache_write_tokens: 70_000 },
    },
    sum: '1999 x 2.5 + 200000 x 0.25 + 70000 x 3.125 + 1000 x 15 = 4997.5 + 50000 + 218750 + 15000 = 288747.5',
    costs: 288_748n,
  },
  {
    vendor: 'OpenAI chat',
    what: 'speech in and out',
    form: 'chat',
    price: gptAudio,
    usage: {
      prompt_tokens: 59,
      completion_tokens: 300,
      total_tokens: 359,
      prompt_tokens_details: { cached_tokens: 0, text_tokens: 17, audio_tokens: 42, image_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0, text_tokens: 60, audio_tokens: 240 },
    },
    sum: '17 x 2.5 + 42 x 40 + 60 x 10 + 240 x 80 = 42.5 + 1680 + 600 + 19200 = 21522.5',
    costs: 21_523n,
  },
  {
    vendor: 'OpenAI transcriptions',
    what: 'audio in, text out; the details have their name in the singular',
    form: 'responses',
    price: gptAudio,
    usage: {
      type: 'tokens',
      input_tokens: 14,
      input_token_details: { text_tokens: 10, audio_tokens: 4 },
      output_tokens: 101,
      total_tokens: 115,
    },
    sum: '10 x 2.5 + 4 x 40 + 101 x 10 = 25 + 160 + 1010 = 1195',
    costs: 1195n,
  },
  {
    vendor: 'OpenAI chat',
    what: 'a predicted output, of which all counts as output',
    form: 'chat',
    price: gptAudio,
    usage: {
      prompt_tokens: 270,
      completion_tokens: 258,
      total_tokens: 528,
      completion_tokens_details: {
        reasoning_tokens: 0,
        accepted_prediction_tokens: 200,
        rejected_prediction_tokens: 42,
      },
    },
    sum: '270 x 2.5 + 258 x 10 = 675 + 2580',
    costs: 3255n,
  },
  {
    vendor: 'OpenAI responses',
    what: 'plain text',
    form: 'responses',
    price: gpt5,
    usage: {
      input_tokens: 36,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 87,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 123,
    },
    sum: '36 x 1.25 + 87 x 10 = 45 + 870',
    costs: 915n,
  },
  {
    vendor: 'OpenAI responses',
    what: 'a search of the web, which opened two of the pages',
    form: 'responses',
    price: gpt5,
    usage: {
      input_tokens: 8371,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 495,
      output_tokens_details: { reasoning_tokens: 320 },
      total_tokens: 8866,
    },
    output: [
      { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'toll gates' } },
      { type: 'web_search_call', status: 'completed', action: { type: 'open_page', url: 'https://a.example' } },
      { type: 'web_search_call', status: 'completed', action: { type: 'find_in_page', pattern: 'x' } },
      { type: 'message', content: [] },
    ],
    sum: '8371 x 1.25 + 495 x 10 + 1 x 10000 = 10463.75 + 4950 + 10000 = 25413.75',
    costs: 25_414n,
  },
  {
    vendor: 'OpenAI responses',
    what: 'searches of files and code that ran',
    form: 'responses',
    price: gpt5,
    usage: {
      input_tokens: 1000,
      input_tokens_details: { cached_tokens: 512 },
      output_tokens: 200,
      output_tokens_details: { reasoning_tokens: 64 },
      total_tokens: 1200,
    },
    output: [{ type: 'file_search_call' }, { type: 'file_search_call' }, { type: 'code_interpreter_call' }],
    sum: '488 x 1.25 + 512 x 0.125 + 200 x 10 + 1 x 30000 + 2 x 2500 = 610 + 64 + 2000 + 30000 + 5000',
    costs: 37_674n,
  },
  {
    vendor: 'OpenAI chat',
    what: 'a model that searches before it answers',
    form: 'chat',
    price: gptSearch,
    usage: { prompt_tokens: 16, completion_tokens: 325, total_tokens: 341 },
    output: [{ type: 'web_search_call' }],
    sum: '16 x 2.5 + 325 x 10 + 25000 = 40 + 3250 + 25000',
    costs: 28_290n,
  },
  {
    vendor: 'Anthropic',
    what: 'plain text',
    form: 'messages',
    price: sonnet,
    usage: {
      input_tokens: 2095,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
      output_tokens: 503,
      service_tier: 'standard',
    },
    tier: 'standard',
    sum: '2095 x 3 + 503 x 15 = 6285 + 7545',
    costs: 13_830n,
  },
  {
    vendor: 'Anthropic',
    what: 'writes for five minutes and for an hour',
    form: 'messages',
    price: sonnet,
    usage: {
      input_tokens: 2048,
      cache_read_input_tokens: 1800,
      cache_creation_input_tokens: 248,
      output_tokens: 503,
      cache_creation: { ephemeral_5m_input_tokens: 148, ephemeral_1h_input_tokens: 100 },
    },
    sum: '2048 x 3 + 1800 x 0.3 + 148 x 3.75 + 100 x 6 + 503 x 15 = 6144 + 540 + 555 + 600 + 7545',
    costs: 15_384n,
  },
  {
    vendor: 'Anthropic',
    what: 'writes that are not split, all for five minutes',
    form: 'messages',
    price: sonnet,
    usage: {
      input_tokens: 21,
      cache_creation_input_tokens: 188_086,
      cache_read_input_tokens: 0,
      cache_creation: null,
      output_tokens: 393,
    },
    sum: '21 x 3 + 188086 x 3.75 + 393 x 15 = 63 + 705322.5 + 5895 = 711280.5',
    costs: 711_281n,
  },
  {
    vendor: 'Anthropic',
    what: 'a prompt above 200,000 tokens, most of it cached',
    form: 'messages',
    price: sonnet,
    usage: {
      input_tokens: 1000,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 199_001,
      output_tokens: 100,
    },
    sum: '1000 x 6 + 199001 x 0.6 + 100 x 22.5 = 6000 + 119400.6 + 2250 = 127650.6',
    costs: 127_651n,
  },
  {
    vendor: 'Anthropic',
    what: 'a search of the web, with thoughts',
    form: 'messages',
    price: sonnet,
    usage: {
      input_tokens: 105,
      output_tokens: 6039,
      cache_read_input_tokens: 7123,
      cache_creation_input_tokens: 7345,
      output_tokens_details: { thinking_tokens: 1200 },
      server_tool_use: { web_search_requests: 3, web_fetch_requests: 0 },
    },
    sum: '105 x 3 + 7123 x 0.3 + 7345 x 3.75 + 6039 x 15 + 3 x 10000 = 315 + 2136.9 + 27543.75 + 90585 + 30000 = 150580.65',
    costs: 150_581n,
  },
  {
    vendor: 'Anthropic',
    what: 'a request of a batch',
    form: 'messages',
    price: sonnet,
    usage: { input_tokens: 1001, cache_read_input_tokens: 400, output_tokens: 20, service_tier: 'batch' },
    tier: 'batch',
    sum: '1001 x 1.5 + 400 x 0.15 + 20 x 7.5 = 1501.5 + 60 + 150 = 1711.5',
    costs: 1712n,
  },
  {
    vendor: 'Anthropic',
    what: 'compaction, which the whole counts leave out',
    form: 'messages',
    price: sonnet,
    usage: {
      input_tokens: 23_000,
      output_tokens: 1000,
      iterations: [
        { type: 'compaction', input_tokens: 180_000, output_tokens: 3500 },
        { type: 'message', input_tokens: 23_000, output_tokens: 1000 },
      ],
    },
    // 203,000 tokens in all: the request is billed as a long one.
    sum: '203000 x 6 + 4500 x 22.5 = 1218000 + 101250',
    costs: 1_319_250n,
  },
  {
    vendor: 'Anthropic',
    what: 'an advisor, another model whose price is not known here',
    form: 'messages',
    price: sonnet,
    usage: {
      input_tokens: 412,
      output_tokens: 531,
      iterations: [
        { type: 'message', input_tokens: 412, output_tokens: 89 },
        { type: 'advisor_message', model: 'claude-other', input_tokens: 823, output_tokens: 1612 },
        { type: 'message', input_tokens: 1348, cache_read_input_tokens: 412, output_tokens: 442 },
      ],
    },
    sum: '(412 + 823 + 1348) x 3 + 412 x 0.3 + (89 + 1612 + 442) x 15 = 7749 + 123.6 + 32145 = 40017.6',
    costs: 40_018n,
    odd: ['other_model'],
  },
  {
    vendor: 'Anthropic',
    what: 'a fallback, with which the whole counts are right',
    form: 'messages',
    price: sonnet,
    usage: {
      input_tokens: 500,
      output_tokens: 60,
      iterations: [
        { type: 'message', input_tokens: 500, output_tokens: 9 },
        { type: 'fallback_message', input_tokens: 500, output_tokens: 60 },
      ],
    },
    sum: '500 x 3 + 60 x 15 = 1500 + 900',
    costs: 2400n,
  },
  {
    vendor: "Gemini's OpenAI form",
    what: 'thoughts that only the total counts',
    form: 'chat',
    price: geminiPro,
    usage: {
      prompt_tokens: 12,
      completion_tokens: 40,
      total_tokens: 852,
      completion_tokens_details: { reasoning_tokens: 800 },
    },
    sum: '12 x 1.25 + 840 x 10 = 15 + 8400',
    costs: 8415n,
  },
  {
    vendor: "Gemini's OpenAI form",
    what: 'thoughts that nothing but the total hints at',
    form: 'chat',
    price: geminiPro,
    usage: { prompt_tokens: 12, completion_tokens: 40, total_tokens: 852 },
    sum: '12 x 1.25 + 840 x 10 = 15 + 8400',
    costs: 8415n,
    odd: ['total_differs'],
  },
  {
    vendor: "Gemini's OpenAI form",
    what: 'a prompt above 200,000 tokens',
    form: 'chat',
    price: geminiPro,
    usage: {
      prompt_tokens: 250_000,
      completion_tokens: 100,
      total_tokens: 250_100,
      prompt_tokens_details: { cached_tokens: 100_000 },
    },
    sum: '150000 x 2.5 + 100000 x 0.25 + 100 x 15 = 375000 + 25000 + 1500',
    costs: 401_500n,
  },
  {
    vendor: "Gemini's OpenAI form",
    what: 'audio, a part of which was cached',
    form: 'chat',
    price: geminiFlash,
    usage: {
      prompt_tokens: 1000,
      completion_tokens: 10,
      total_tokens: 1010,
      prompt_tokens_details: { cached_tokens: 700, audio_tokens: 800, text_tokens: 200 },
    },
    // Of the 800 audio tokens at most 300 can be what the cache did not have.
    sum: '300 x 1 + 700 x 0.075 + 10 x 2.5 = 300 + 52.5 + 25 = 377.5',
    costs: 378n,
  },
  {
    vendor: 'xAI',
    what: 'thoughts beside the completion',
    form: 'chat',
    price: grok,
    usage: {
      prompt_tokens: 32,
      completion_tokens: 9,
      total_tokens: 135,
      prompt_tokens_details: { text_tokens: 32, audio_tokens: 0, image_tokens: 0, cached_tokens: 6 },
      completion_tokens_details: {
        reasoning_tokens: 94,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
      num_sources_used: 0,
    },
    sum: '26 x 3 + 6 x 0.75 + 103 x 15 = 78 + 4.5 + 1545 = 1627.5',
    costs: 1628n,
  },
  {
    vendor: 'xAI',
    what: 'an image, of which the cache had a part',
    form: 'chat',
    price: { ...grok, imageInputPerMillion: per('5') },
    usage: {
      prompt_tokens: 1287,
      completion_tokens: 100,
      total_tokens: 1387,
      prompt_tokens_details: { text_tokens: 263, audio_tokens: 0, image_tokens: 1024, cached_tokens: 512 },
    },
    // The cache leaves 775 tokens, fewer than the image has.
    sum: '512 x 0.75 + 775 x 5 + 100 x 15 = 384 + 3875 + 1500',
    costs: 5759n,
  },
  {
    vendor: 'xAI',
    what: 'the first token of its long card',
    form: 'chat',
    price: grok,
    usage: { prompt_tokens: 128_000, completion_tokens: 10, total_tokens: 128_010 },
    sum: '128000 x 6 + 10 x 30 = 768000 + 300',
    costs: 768_300n,
  },
  {
    vendor: 'xAI',
    what: 'tools that it ran, by its own count',
    form: 'responses',
    price: grok,
    usage: {
      input_tokens: 5000,
      input_tokens_details: { cached_tokens: 1000 },
      output_tokens: 700,
      output_tokens_details: { reasoning_tokens: 500 },
      total_tokens: 5700,
      num_server_side_tools_used: 5,
      server_side_tool_usage_details: { web_search_calls: 3, x_search_calls: 2, code_interpreter_calls: 0 },
      cost_in_usd_ticks: 485_000_000,
    },
    output: [{ type: 'web_search_call' }],
    sum: '4000 x 3 + 1000 x 0.75 + 700 x 15 + 3 x 5000 + 2 x 5000 = 12000 + 750 + 10500 + 15000 + 10000',
    costs: 48_250n,
  },
  {
    vendor: 'xAI',
    what: 'a live search, billed by the source',
    form: 'chat',
    price: grok,
    usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110, num_sources_used: 4 },
    sum: '100 x 3 + 10 x 15 + 4 x 25000 = 300 + 150 + 100000',
    costs: 100_450n,
  },
  {
    vendor: 'DeepSeek',
    what: 'hits and misses of its cache, at noon in Shanghai',
    form: 'chat',
    price: deepseek,
    at: '2026-11-24T04:00:00Z',
    usage: {
      prompt_tokens: 1000,
      completion_tokens: 200,
      total_tokens: 1200,
      prompt_cache_hit_tokens: 640,
      prompt_cache_miss_tokens: 360,
      completion_tokens_details: { reasoning_tokens: 150 },
    },
    sum: '360 x 2 + 640 x 0.2 + 200 x 3 = 720 + 128 + 600',
    costs: 1448n,
  },
  {
    vendor: 'DeepSeek',
    what: 'the same in its cheap hours, at one in the night in Shanghai',
    form: 'chat',
    price: deepseek,
    at: '2026-11-23T17:00:00Z',
    usage: {
      prompt_tokens: 1000,
      completion_tokens: 200,
      total_tokens: 1200,
      prompt_tokens_details: { cached_tokens: 640 },
      prompt_cache_hit_tokens: 640,
      prompt_cache_miss_tokens: 360,
    },
    sum: '360 x 1 + 640 x 0.2 + 200 x 1.5 = 360 + 128 + 300',
    costs: 788n,
  },
  {
    vendor: 'Qwen',
    what: 'a cache that was asked for',
    form: 'chat',
    price: qwenCache,
    usage: {
      prompt_tokens: 1570,
      completion_tokens: 100,
      total_tokens: 1670,
      prompt_tokens_details: {
        cache_creation: { ephemeral_5m_input_tokens: 1500 },
        cache_creation_input_tokens: 1500,
        cache_type: 'ephemeral',
        cached_tokens: 0,
      },
    },
    sum: '70 x 3.2 + 1500 x 4 + 100 x 12.8 = 224 + 6000 + 1280',
    costs: 7504n,
  },
  {
    vendor: 'Qwen',
    what: 'a video with audio, answered in speech',
    form: 'chat',
    price: qwenOmni,
    usage: {
      prompt_tokens: 2164,
      completion_tokens: 250,
      total_tokens: 2414,
      prompt_tokens_details: { text_tokens: 64, audio_tokens: 300, video_tokens: 1800 },
      completion_tokens_details: { text_tokens: 50, audio_tokens: 200 },
    },
    sum: '64 x 1.8 + 300 x 15.8 + 1800 x 3.3 + 50 x 6.9 + 200 x 62.6 = 115.2 + 4740 + 5940 + 345 + 12520 = 23660.2',
    costs: 23_660n,
  },
  {
    vendor: 'Qwen',
    what: 'a prompt of its second band',
    form: 'chat',
    price: qwenCache,
    usage: { prompt_tokens: 40_000, completion_tokens: 10, total_tokens: 40_010 },
    sum: '40000 x 6.4 + 10 x 25.6 = 256000 + 256',
    costs: 256_256n,
  },
  {
    vendor: 'OpenRouter',
    what: 'its own cost beside the counts',
    form: 'chat',
    price: gptLong,
    usage: {
      prompt_tokens: 194,
      completion_tokens: 2,
      total_tokens: 196,
      cost: 0.95,
      cost_details: { upstream_inference_cost: 19 },
      is_byok: false,
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 100, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0, image_tokens: 0 },
    },
    sum: '94 x 2.5 + 100 x 3.125 + 2 x 15 = 235 + 312.5 + 30 = 577.5',
    costs: 578n,
  },
  {
    vendor: 'OpenRouter',
    what: 'an image that was made',
    form: 'chat',
    price: { ...text('0.3', '2.5'), imageOutputPerMillion: per('30') },
    usage: {
      prompt_tokens: 20,
      completion_tokens: 1310,
      total_tokens: 1330,
      completion_tokens_details: { reasoning_tokens: 0, image_tokens: 1290 },
    },
    sum: '20 x 0.3 + 20 x 2.5 + 1290 x 30 = 6 + 50 + 38700',
    costs: 38_756n,
  },
  {
    vendor: 'Moonshot',
    what: 'cached tokens at the top',
    form: 'chat',
    price: text('4', '16', '1'),
    usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100, cached_tokens: 256 },
    sum: '744 x 4 + 256 x 1 + 100 x 16 = 2976 + 256 + 1600',
    costs: 4832n,
  },
  {
    vendor: 'Perplexity',
    what: 'searches, and a price of the request itself',
    form: 'chat',
    price: sonar,
    usage: {
      prompt_tokens: 12,
      completion_tokens: 304,
      total_tokens: 316,
      search_context_size: 'low',
      num_search_queries: 2,
    },
    sum: '12 x 3 + 304 x 15 + 2 x 5000 + 6000 = 36 + 4560 + 10000 + 6000',
    costs: 20_596n,
  },
];

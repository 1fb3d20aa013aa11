/**
 * The request of the responses endpoint, checked but not changed: its shape is the OpenAI Responses API's, whose many
 * items and tools pass, and only what the gateway relies on is looked at. `null` stands for an absent value.
 */
import { z } from 'zod';
import { chatAddressCharactersMax, temperatureMax, topLogprobsMax } from '../limits.ts';
import {
  addFaults,
  anObject,
  flag,
  httpAddress,
  integerFrom,
  listOf,
  mediaAddress,
  modelId,
  numberFrom,
  oneOf,
  text,
  word,
} from './fields.ts';
import type { NamedAddress } from './named-addresses.ts';
import { missing, parseWith } from './parse.ts';
import { type Allowed, refuseUnpriced } from './unpriced.ts';

/** What the gateway must know of a responses call. */
export interface ResponsesFacts {
  model: string;
  stream: boolean;
  maxOutputTokens?: number;
  /** Must name a response of the same account; checked where the responses are kept. */
  previousResponseId?: string;
  /** Addresses and data URIs of images and remote tools. */
  urls: readonly NamedAddress[];
  /** Addresses of files, whose size is not known. */
  fileUrls: readonly NamedAddress[];
}

/** A part of a message or of a tool's output; of kinds not named in the rule, only the addresses are checked. */
const part = z.looseObject(
  {
    type: word,
    text: text.nullish(),
    image_url: mediaAddress(chatAddressCharactersMax).nullish(),
    file_url: httpAddress(chatAddressCharactersMax).nullish(),
  },
  "must be an object with a 'type'",
);
const contentRule = 'must be a string or an array of parts';
const content = z.union([text, listOf(part, contentRule)], contentRule);

const messageItem = z.looseObject({ role: oneOf(['user', 'assistant', 'system', 'developer']), content });
const callOutput = z.looseObject({ call_id: word, output: content });
const computerOutput = z.looseObject({ output: part });

/** An item without a type is a message; of the others, those that may carry addresses are read. */
const item = z.looseObject({ type: word.nullish() }, 'must be an object').superRefine((value, context) => {
  const schema = schemaOf(value.type ?? 'message');
  const result = schema?.safeParse(value);
  if (result?.success === false) addFaults(context, result.error);
});

const inputRule = 'must be a string or a non-empty array of items';
const tool = z.looseObject(
  { type: word, server_url: httpAddress(chatAddressCharactersMax).nullish() },
  "must be an object with a 'type'",
);
const format = z.looseObject(
  { type: oneOf(['text', 'json_object', 'json_schema']) },
  "must be an object with a 'type'",
);

export const responsesBody = z.object({
  model: modelId,
  input: z.union([text, listOf(item, inputRule, { min: 1 })], inputRule).optional(),
  /** A prompt template of the operator's at the upstream, which may stand for the input where it is allowed. */
  prompt: anObject.nullish(),
  instructions: text.nullish(),
  stream: flag.nullish(),
  max_output_tokens: integerFrom(1).nullish(),
  previous_response_id: word.nullish(),
  conversation: z.null("is not supported: send 'previous_response_id' or the whole 'input'").optional(),
  background: z.literal(false, 'must be false: responses are returned at once or streamed').nullish(),
  store: flag.nullish(),
  temperature: numberFrom(0, temperatureMax).nullish(),
  top_p: numberFrom(0, 1).nullish(),
  top_logprobs: integerFrom(0, topLogprobsMax).nullish(),
  text: z.looseObject({ format: format.nullish() }, 'must be an object').nullish(),
  tools: listOf(tool, 'must be an array of tools').nullish(),
  tool_choice: z
    .union(
      [z.enum(['auto', 'none', 'required']), z.looseObject({ type: word })],
      "must be 'auto', 'none', 'required' or an object with a 'type'",
    )
    .nullish(),
  user: text.nullish(),
});
type ResponsesBody = z.output<typeof responsesBody>;

/**
 * The facts of a responses body. Refuses with `missing_parameter` or `invalid_parameter` and the path of the first
 * fault. `conversation` and `background` are refused for now, and what costs money upstream and
 * has no price here unless it is `allowed`. With `mayLackInput` a response to go on from may stand for the input.
 */
export function parseResponsesRequest(
  body: unknown,
  allowed: Allowed = [],
  { mayLackInput = false }: { mayLackInput?: boolean } = {},
): ResponsesFacts {
  const fields = parseWith(responsesBody, body);
  refuseUnpriced(body, allowed);
  const known = [fields.input, fields.prompt, mayLackInput ? fields.previous_response_id : undefined];
  if (known.every((one) => (one ?? undefined) === undefined)) throw missing('input', inputRule);
  return {
    model: fields.model,
    stream: fields.stream ?? false,
    ...(typeof fields.max_output_tokens === 'number' ? { maxOutputTokens: fields.max_output_tokens } : {}),
    ...(typeof fields.previous_response_id === 'string' ? { previousResponseId: fields.previous_response_id } : {}),
    ...urlsOf(fields),
  };
}

function schemaOf(type: string): z.ZodType | undefined {
  switch (type) {
    case 'message':
      return messageItem;
    case 'function_call_output':
    case 'custom_tool_call_output':
      return callOutput;
    case 'computer_call_output':
      return computerOutput;
    default:
      return undefined;
  }
}

/** The addresses of a body whose items were found good. Items of other types are not read, so they yield none. */
function urlsOf({ input, tools }: ResponsesBody): Pick<ResponsesFacts, 'urls' | 'fileUrls'> {
  const [urls, fileUrls]: [NamedAddress[], NamedAddress[]] = [[], []];
  const take = (found: NamedAddress[], param: string, value: { [field: string]: unknown }, field: string) => {
    const url = value[field];
    if (typeof url === 'string') found.push({ param: `${param}.${field}`, url });
  };
  for (const [index, value] of (Array.isArray(input) ? input : []).entries()) {
    const type = value.type ?? 'message';
    if (!schemaOf(type)) continue;
    const field = type === 'message' ? 'content' : 'output';
    const held = value[field];
    const isList = Array.isArray(held);
    for (const [place, one] of (isList ? held : [held]).entries()) {
      const read = anObject.safeParse(one);
      if (!read.success) continue;
      const param = `input[${index}].${field}${isList ? `[${place}]` : ''}`;
      take(urls, param, read.data, 'image_url');
      take(fileUrls, param, read.data, 'file_url');
    }
  }
  for (const [index, value] of (tools ?? []).entries()) take(urls, `tools[${index}]`, value, 'server_url');
  return { urls, fileUrls };
}

/** What stands in the form of the chat page; empty and null leave a parameter to the model. */

type Figure = number | null;

export const firstDraft = {
  ...{ model: '', otherModel: '', isComparing: false, isRaw: false },
  ...{ system: '', text: '' },
  /** Addresses, one a line. */
  images: '',
  ...{ temperature: null as Figure, topP: null as Figure, maxTokens: null as Figure, seed: null as Figure },
  ...{ frequencyPenalty: null as Figure, presencePenalty: null as Figure },
  /** One a line. */
  stop: '',
  effort: '',
  /** Of `response_format`, whose schema is JSON. */
  ...{ format: '', schema: '' },
  /** JSON; `function:NAME` chooses the tool of this name. */
  ...{ tools: '', toolChoice: '' },
  /** The end user, the header `X-Tollgate-Tag`, and further fields as JSON. */
  ...{ user: '', tag: '', extra: '' },
};
export type Draft = typeof firstDraft;

export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;
export const formats = ['text', 'json_object', 'json_schema'] as const;
export const toolChoices = ['auto', 'none', 'required'] as const;

/** The fields that are written as JSON. */
export type JsonName = 'schema' | 'tools' | 'extra';

/** What stands in an editor that is opened for the first time. */
export const examples: Readonly<Record<'schema' | 'tools', string>> = {
  schema: written({
    name: 'answer',
    strict: true,
    schema: {
      type: 'object',
      properties: { summary: { type: 'string' }, score: { type: 'number' } },
      required: ['summary', 'score'],
      additionalProperties: false,
    },
  }),
  tools: written([
    {
      type: 'function',
      function: {
        name: 'get_weather',
        description: 'The weather in a city now.',
        parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
    },
  ]),
};

function written(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

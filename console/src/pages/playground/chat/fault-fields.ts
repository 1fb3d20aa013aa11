/** The form's fields by the parameters that a refusal names. */
import type { FieldOf } from '../shared/fault.tsx';

const fields: readonly (readonly [param: RegExp, field: string])[] = [
  [/^(model|temperature|seed|stop|user)\b/, '$1'],
  [/^top_p$/, 'topP'],
  [/^max_tokens$/, 'maxTokens'],
  [/^presence_penalty$/, 'presencePenalty'],
  [/^frequency_penalty$/, 'frequencyPenalty'],
  [/^reasoning_effort$/, 'effort'],
  [/^response_format\.json_schema/, 'schema'],
  [/^response_format/, 'format'],
  [/^tools\b/, 'tools'],
  [/^tool_choice/, 'toolChoice'],
  [/^X-Tollgate-Tag$/, 'tag'],
  [/^messages.*image_url/, 'images'],
  [/^messages/, 'text'],
];

export const fieldOf: FieldOf = (param) => {
  const [form, field] = fields.find(([one]) => one.test(param)) ?? [];
  return form && field?.replace('$1', form.exec(param)?.[1] ?? '');
};

/** The same for the second one of two models. */
export const fieldOfOther: FieldOf = (param) => (param === 'model' ? 'otherModel' : fieldOf(param));

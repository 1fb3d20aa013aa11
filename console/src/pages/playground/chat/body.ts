/** The request that a chat sends, of the form's settings and what was said. */
import { isRecord } from '../../../parts/json.ts';
import { linesOf } from '../shared/addresses.ts';
import type { ModelFacts } from '../shared/facts.ts';
import type { FieldOf } from '../shared/fault.tsx';
import type { ChatRequest } from './conversation.ts';
import { type Draft, type JsonName, toolChoices } from './draft.ts';
import { readJsonField, toolNamesOf } from './json-fields.ts';
import { messagesOf } from './messages.ts';
import type { Turn } from './turn.ts';

/** Fields of JSON that can't be read are left out: such a form is not sent. */
export function chatRequest(draft: Draft, model: ModelFacts, turns: readonly Turn[]): ChatRequest {
  const { system, tag } = draft;
  return {
    body: {
      model: model.id,
      messages: [...(system.trim() === '' ? [] : [{ role: 'system', content: system }]), ...messagesOf(turns)],
      stream: true,
      ...parametersOf(draft),
    },
    headers: tag.trim() === '' ? {} : { 'X-Tollgate-Tag': tag.trim() },
  };
}

function parametersOf(draft: Draft): Record<string, unknown> {
  const { effort, user } = draft;
  const stop = linesOf(draft.stop);
  const tools = valueOf('tools', draft);
  const toolChoice = toolChoiceOf(draft);
  const extra = valueOf('extra', draft);
  const given = {
    ...{ temperature: draft.temperature, top_p: draft.topP, max_tokens: draft.maxTokens, seed: draft.seed },
    ...{ presence_penalty: draft.presencePenalty, frequency_penalty: draft.frequencyPenalty },
    stop: stop.length > 0 ? stop : null,
    reasoning_effort: effort === '' ? null : effort,
    response_format: formatOf(draft),
    ...(tools !== undefined && { tools, tool_choice: toolChoice }),
    user: user.trim() === '' ? null : user.trim(),
  };
  return {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)),
    ...(isRecord(extra) ? extra : {}),
  };
}

function formatOf(draft: Draft): object | null {
  if (draft.format === '') return null;
  const schema = valueOf('schema', draft);
  return { type: draft.format, ...(schema !== undefined && { json_schema: schema }) };
}

/** A tool that is no longer among the tools is not asked for. */
function toolChoiceOf(draft: Draft): unknown {
  const plain = toolChoices.find((choice) => choice === draft.toolChoice);
  if (plain !== undefined) return plain;
  const name = toolNamesOf(draft).find((one) => draft.toolChoice === `function:${one}`);
  return name === undefined ? null : { type: 'function', function: { name } };
}

function valueOf(name: JsonName, draft: Draft): unknown {
  const field = readJsonField(name, draft);
  return 'value' in field ? field.value : undefined;
}

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

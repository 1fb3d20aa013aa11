/** The request that a chat sends, of the form's settings and what was said. */
import { isRecord } from '../../../parts/json.ts';
import { linesOf } from '../shared/lines.ts';
import { type Draft, type JsonName, toolChoices } from './draft.ts';
import { readJsonField, toolNamesOf } from './json-fields.ts';
import { messagesOf } from './messages.ts';
import type { Turn } from './turn.ts';

/** What a program would send. */
export interface ChatRequest {
  body: Record<string, unknown>;
  /** Besides those that every request has. */
  headers: Record<string, string>;
}

/** Fields of JSON that can't be read are left out: such a form is not sent. */
export function chatRequest(draft: Draft, model: { id: string }, turns: readonly Turn[]): ChatRequest {
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

/** All that is no message. */
export function parametersOf(draft: Draft): Record<string, unknown> {
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

/** The `instructions` and `input` of a Responses request as the messages of a chat completion. */
import type { JsonObject } from '../json/json-object.ts';
import { missing } from '../requests/parse.ts';
import { ChatConversation, type ChatPart, contentOf, textPart } from './chat-conversation.ts';
import { Fields, notCarried } from './fields.ts';
import { flatName } from './tool-names.ts';

/** Reads `instructions` and `input`. Throws GatewayError for what has no form in chat, with its path. */
export function chatMessagesOfInput(fields: Fields): readonly JsonObject[] {
  const conversation = new ChatConversation();
  const instructions = fields.text('instructions');
  if (instructions !== undefined && instructions !== '') conversation.addSystem(instructions);
  const input = fields.value('input');
  if (typeof input === 'string') {
    conversation.addUser([textPart(input)]);
    return conversation.end();
  }
  if (!Array.isArray(input) || input.length === 0) {
    throw missing(fields.at('input'), 'must be a string or a non-empty array of items');
  }
  for (const [index, item] of (input as readonly unknown[]).entries()) {
    addItem(conversation, new Fields(item, `${fields.at('input')}[${index}]`));
  }
  return conversation.end();
}

function addItem(conversation: ChatConversation, item: Fields): void {
  const type = item.oneOf('type', ['message', 'function_call', 'function_call_output', 'reasoning']) ?? 'message';
  item.ignore('id', 'status');
  if (type === 'message') addMessage(conversation, item);
  else if (type === 'function_call') addCall(conversation, item);
  else if (type === 'function_call_output') addResult(conversation, item);
  else addReasoning(conversation, item);
  item.end();
}

function addMessage(conversation: ChatConversation, item: Fields): void {
  const role = item.requiredOneOf('role', ['user', 'assistant', 'system', 'developer']);
  const content = item.value('content');
  if (content === undefined) throw missing(item.at('content'), 'must be a string or an array of parts');
  // Whether a text was said on the way or at the end.
  item.ignore('phase');
  const path = item.at('content');
  if (role === 'assistant') addAssistant(conversation, content, path);
  else if (role === 'user') conversation.addUser(partsOf(content, path));
  // Few upstreams but OpenAI's know the role `developer`.
  else conversation.addSystem(textsOf(content, path));
}

function addAssistant(conversation: ChatConversation, content: unknown, path: string): void {
  if (typeof content === 'string') {
    conversation.addAssistantText(content);
    return;
  }
  for (const part of listOf(content, path)) {
    const type = part.requiredOneOf('type', ['output_text', 'input_text', 'text', 'refusal']);
    if (type === 'refusal') conversation.addRefusal(part.requiredText('refusal'));
    else conversation.addAssistantText(part.requiredText('text'));
    // What was found beside the text; it is not part of what was said.
    part.ignore('annotations', 'logprobs');
    part.end();
  }
}

function addCall(conversation: ChatConversation, item: Fields): void {
  const [id, name, args] = [item.requiredText('call_id'), item.requiredText('name'), item.requiredText('arguments')];
  const namespace = item.text('namespace');
  const caller = item.object('caller');
  caller?.requiredOneOf('type', ['direct']);
  conversation.addCall(id, namespace === undefined ? name : flatName(namespace, name), args);
}

function addResult(conversation: ChatConversation, item: Fields): void {
  const id = item.requiredText('call_id');
  const output = item.value('output');
  if (output === undefined) throw missing(item.at('output'), 'must be a string or an array of parts');
  const caller = item.object('caller');
  caller?.requiredOneOf('type', ['direct']);
  conversation.addResult(id, partsOf(output, item.at('output')));
}

/** Reasoning that this gateway translated is all in its summary; what is encrypted is another provider's own. */
function addReasoning(conversation: ChatConversation, item: Fields): void {
  const way = "must be omitted, as in this model's own answers: leave out the reasoning of other models";
  item.refuse('encrypted_content', way, (value) => value === '');
  for (const name of ['summary', 'content']) {
    for (const part of listOf(item.value(name) ?? [], item.at(name))) {
      part.requiredOneOf('type', ['summary_text', 'reasoning_text', 'text']);
      conversation.addThought(part.requiredText('text'));
      part.end();
    }
  }
}

function partsOf(content: unknown, path: string): ChatPart[] {
  if (typeof content === 'string') return [textPart(content)];
  return listOf(content, path).map((part) => {
    const type = part.requiredOneOf('type', ['input_text', 'input_image', 'output_text', 'text']);
    const read = type === 'input_image' ? imageOf(part) : textPart(part.requiredText('text'));
    part.ignore('annotations', 'logprobs');
    part.end();
    return read;
  });
}

function textsOf(content: unknown, path: string): string {
  const parts = partsOf(content, path);
  const text = contentOf(parts);
  if (typeof text !== 'string') throw notCarried(path, 'must have no images: chat takes them of the user only');
  return text;
}

function imageOf(part: Fields): ChatPart {
  part.refuse('file_id', "must be omitted: send 'image_url'");
  const url = part.requiredText('image_url');
  const detail = part.text('detail');
  return { type: 'image_url', image_url: detail === undefined ? { url } : { url, detail } };
}

function listOf(content: unknown, path: string): Fields[] {
  if (!Array.isArray(content)) throw notCarried(path, 'must be a string or an array of parts');
  return (content as readonly unknown[]).map((part, index) => new Fields(part, `${path}[${index}]`));
}

/** The turns of a Messages request, `system` and `messages`, as those of a chat completion. */
import type { JsonObject } from '../json/json-object.ts';
import { missing } from '../requests/parse.ts';
import { ChatConversation, type ChatPart, textPart } from './chat-conversation.ts';
import { Fields, notCarried } from './fields.ts';

/** Reads `system` and `messages`. Throws GatewayError for what has no form in chat, with its path. */
export function chatMessagesOfTurns(fields: Fields): readonly JsonObject[] {
  const conversation = new ChatConversation();
  const system = fields.value('system');
  if (system !== undefined) conversation.addSystem(systemText(system, fields.at('system')));
  const messages = fields.list('messages');
  if (messages === undefined || messages.length === 0) {
    throw missing(fields.at('messages'), 'must be a non-empty array of messages');
  }
  let role: string | undefined;
  for (const [index, message] of messages.entries()) {
    role = addMessage(conversation, new Fields(message, `${fields.at('messages')}[${index}]`));
  }
  if (role === 'assistant') {
    throw notCarried(
      `messages[${messages.length - 1}]`,
      "must be of the role 'user': chat has no answer begun by the caller",
    );
  }
  return conversation.end();
}

function addMessage(conversation: ChatConversation, message: Fields): string {
  const role = message.requiredOneOf('role', ['user', 'assistant', 'system']);
  const content = message.value('content');
  if (content === undefined) throw missing(message.at('content'), 'must be a string or an array of blocks');
  message.end();
  const path = message.at('content');
  if (role === 'system') conversation.addSystem(systemText(content, path));
  else if (role === 'assistant') addAssistant(conversation, content, path);
  else addUser(conversation, content, path);
  return role;
}

function systemText(content: unknown, path: string): string {
  if (typeof content === 'string') return content;
  return blocksOf(content, path)
    .map((block) => {
      block.requiredOneOf('type', ['text']);
      return textOf(block);
    })
    .join('\n');
}

/** Results come first, whatever their place: chat takes them directly behind the calls only. */
function addUser(conversation: ChatConversation, content: unknown, path: string): void {
  if (typeof content === 'string') {
    conversation.addUser([textPart(content)]);
    return;
  }
  const parts: ChatPart[] = [];
  let results = 0;
  for (const block of blocksOf(content, path)) {
    const type = block.requiredOneOf('type', ['text', 'image', 'tool_result']);
    if (type !== 'tool_result') {
      parts.push(type === 'text' ? textPart(textOf(block)) : imageOf(block));
      continue;
    }
    addResult(conversation, block);
    results++;
  }
  if (parts.length > 0 || results === 0) conversation.addUser(parts);
}

function addResult(conversation: ChatConversation, block: Fields): void {
  const id = block.requiredText('tool_use_id');
  const isError = block.flag('is_error') ?? false;
  const content = block.value('content') ?? '';
  block.ignore('cache_control');
  block.end();
  const parts = typeof content === 'string' ? [textPart(content)] : resultParts(content, block.at('content'));
  // Chat has no flag for it.
  conversation.addResult(id, isError ? [textPart('The tool failed:'), ...parts] : parts);
}

const resultParts = (content: unknown, path: string): ChatPart[] =>
  blocksOf(content, path).map((block) =>
    block.requiredOneOf('type', ['text', 'image']) === 'text' ? textPart(textOf(block)) : imageOf(block),
  );

function addAssistant(conversation: ChatConversation, content: unknown, path: string): void {
  if (typeof content === 'string') {
    conversation.addAssistantText(content);
    return;
  }
  for (const block of blocksOf(content, path)) {
    const type = block.requiredOneOf('type', ['text', 'thinking', 'tool_use']);
    if (type === 'text') conversation.addAssistantText(textOf(block));
    else if (type === 'thinking') conversation.addThought(thoughtOf(block));
    else addCall(conversation, block);
  }
}

function addCall(conversation: ChatConversation, block: Fields): void {
  const [id, name] = [block.requiredText('id'), block.requiredText('name')];
  const input = block.object('input');
  if (input === undefined) throw missing(block.at('input'), 'must be an object');
  block.refuse('caller', "must be { type: 'direct' }", isDirect);
  block.ignore('cache_control');
  block.end();
  conversation.addCall(id, name, JSON.stringify(block.value('input')));
}

const isDirect = (caller: unknown): boolean =>
  typeof caller === 'object' && caller !== null && 'type' in caller && caller.type === 'direct';

/** Thinking that this gateway translated has an empty signature; a signature is another provider's own. */
function thoughtOf(block: Fields): string {
  const text = block.requiredText('thinking');
  const way = "must be empty, as in this model's own answers: leave out the thinking of other models";
  block.refuse('signature', way, (value) => value === '');
  block.end();
  return text;
}

function textOf(block: Fields): string {
  const text = block.requiredText('text');
  block.refuse('citations', 'must be omitted or empty', (value) => Array.isArray(value) && value.length === 0);
  block.ignore('cache_control');
  block.end();
  return text;
}

function imageOf(block: Fields): ChatPart {
  const source = block.object('source');
  if (source === undefined) throw missing(block.at('source'), "must be an object of type 'base64' or 'url'");
  block.ignore('cache_control');
  block.end();
  const isUrl = source.requiredOneOf('type', ['base64', 'url']) === 'url';
  const url = isUrl
    ? source.requiredText('url')
    : `data:${source.requiredText('media_type')};base64,${source.requiredText('data')}`;
  source.end();
  return { type: 'image_url', image_url: { url } };
}

function blocksOf(content: unknown, path: string): Fields[] {
  if (!Array.isArray(content)) throw notCarried(path, 'must be a string or an array of blocks');
  return (content as readonly unknown[]).map((block, index) => new Fields(block, `${path}[${index}]`));
}

/**
 * The messages of a chat completion, built from turns that come in another form. Text-only content becomes a string, its
 * pieces joined by LF: many upstreams take no list of parts but for images, and vLLM joins lists of texts so itself.
 */
import type { JsonObject } from '../json/json-object.ts';
import { defined } from './fields.ts';

export type ChatPart =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string; detail?: string } };

/** One conversation, in the order of its turns. What an assistant says, thinks and calls in one turn is one message. */
export class ChatConversation {
  readonly #messages: JsonObject[] = [];
  #assistant: { texts: string[]; thoughts: string[]; calls: JsonObject[]; refusals: string[] } | undefined;
  /** Images of tool results. Chat takes no images from tools: they follow all results, as the user's. */
  #resultImages: ChatPart[] = [];

  /** Instructions. At the beginning they are one message: many chat templates take no second one. */
  addSystem(text: string): void {
    const [first] = this.#messages;
    const isStill = this.#messages.length === 1 && first?.['role'] === 'system' && this.#assistant === undefined;
    if (isStill) this.#messages[0] = { role: 'system', content: `${String(first['content'])}\n\n${text}` };
    else this.#add({ role: 'system', content: text });
  }

  addUser(parts: readonly ChatPart[]): void {
    const all = [...this.#resultImages, ...parts];
    this.#resultImages = [];
    this.#add({ role: 'user', content: contentOf(all) });
  }

  addAssistantText(text: string): void {
    this.#turn().texts.push(text);
  }

  addRefusal(text: string): void {
    this.#turn().refusals.push(text);
  }

  addThought(text: string): void {
    this.#turn().thoughts.push(text);
  }

  addCall(id: string, name: string, args: string): void {
    this.#turn().calls.push({ id, type: 'function', function: { name, arguments: args } });
  }

  addResult(callId: string, parts: readonly ChatPart[]): void {
    this.#endTurn();
    const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    const images = parts.filter(({ type }) => type === 'image_url');
    if (images.length > 0) {
      this.#resultImages.push({ type: 'text', text: `Images of the result of tool call ${callId}:` }, ...images);
      if (texts.length === 0) texts.push('The result is in the images that follow.');
    }
    this.#messages.push({ role: 'tool', tool_call_id: callId, content: texts.join('\n') });
  }

  /** The messages, when all turns are there. */
  end(): readonly JsonObject[] {
    this.#endTurn();
    this.#flushImages();
    return this.#messages;
  }

  #add(message: JsonObject): void {
    this.#endTurn();
    this.#flushImages();
    this.#messages.push(message);
  }

  #turn() {
    this.#flushImages();
    return (this.#assistant ??= { texts: [], thoughts: [], calls: [], refusals: [] });
  }

  #endTurn(): void {
    if (this.#assistant === undefined) return;
    const { texts, thoughts, calls, refusals } = this.#assistant;
    this.#assistant = undefined;
    const message = {
      role: 'assistant',
      content: texts.length > 0 ? texts.join('\n') : calls.length > 0 || refusals.length > 0 ? null : '',
      // Upstreams that think between tool calls, as DeepSeek's do, refuse the next call without it.
      reasoning_content: thoughts.length > 0 ? thoughts.join('\n') : undefined,
      refusal: refusals.length > 0 ? refusals.join('\n') : undefined,
      tool_calls: calls.length > 0 ? calls : undefined,
    };
    this.#messages.push(defined(message));
  }

  #flushImages(): void {
    if (this.#resultImages.length === 0) return;
    this.#messages.push({ role: 'user', content: this.#resultImages });
    this.#resultImages = [];
  }
}

export const textPart = (text: string): ChatPart => ({ type: 'text', text });

/** As a string, unless there is an image. */
export function contentOf(parts: readonly ChatPart[]): string | readonly ChatPart[] {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.length === parts.length ? texts.join('\n') : parts;
}

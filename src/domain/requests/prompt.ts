/** The rules of prompts, whose length limit is the model's. */
import type { Model } from '../catalogue.ts';
import { promptCharactersMax } from '../limits.ts';
import { invalid } from './parse.ts';

/** Refuses a prompt that is blank or longer than the model takes, counted in Unicode code points. */
export function requirePrompt(param: string, prompt: string, model: Model): void {
  if (prompt.trim() === '') throw invalid(param, 'must not be blank');
  requirePromptLength(param, prompt, model);
}

/** Refuses a prompt that is longer than the model takes. */
export function requirePromptLength(param: string, prompt: string, model: Model): void {
  const max = model.limits.promptCharacters ?? promptCharactersMax;
  if (isLongerThan(prompt, max))
    throw invalid(param, `must have at most ${max} characters for the model '${model.id}'`);
}

/** Whether a text has more than `max` code points; walks at most `max` + 1 of them. */
export function isLongerThan(text: string, max: number): boolean {
  // A code point is one or two units of the text, so most texts need no walk.
  if (text.length <= max) return false;
  if (text.length > 2 * max) return true;
  let count = 0;
  for (let index = 0; index < text.length; index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1) {
    if (++count > max) return true;
  }
  return false;
}

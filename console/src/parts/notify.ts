/** A word of success or failure at the top of the page. What shows it is loaded with the first one. */
import { createStore } from '../api/store.ts';

export interface Notice {
  type: 'success' | 'error';
  text: string;
}

/** What is still to be shown, the oldest first. */
export const notices = createStore<readonly Notice[]>([]);

export const notifySuccess = (text: string): void => add({ type: 'success', text });
export const notifyError = (text: string): void => add({ type: 'error', text });

const add = (notice: Notice): void => notices.set([...notices.get(), notice]);

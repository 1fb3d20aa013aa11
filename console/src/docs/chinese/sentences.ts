/** All that the document says, by its English: whole texts, sentences, and pieces of lists. */
import { accountSentences } from './account.ts';
import { chatSentences } from './chat.ts';
import { commonSentences } from './common.ts';
import { filesSentences } from './files.ts';
import { mediaSentences } from './media.ts';
import { serviceSentences } from './service.ts';

export const sentences: Readonly<Record<string, string>> = {
  ...commonSentences,
  ...chatSentences,
  ...mediaSentences,
  ...filesSentences,
  ...accountSentences,
  ...serviceSentences,
};

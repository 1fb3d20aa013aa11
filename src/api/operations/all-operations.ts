/** All operations of the public API, in the order of its document. */
import type { AllOperations } from '../openapi/document.ts';
import { changeAccountSettings, getAccount } from './account.ts';
import { keyOperations } from './account-keys.ts';
import { avatarTalkOperations } from './avatar-talk.ts';
import { batchOperations, createBatchOperation } from './batches.ts';
import { createChatCompletion } from './chat.ts';
import { createCompletion } from './completions.ts';
import { embeddingsOperation } from './embeddings.ts';
import { speechOperation } from './speech.ts';
import { createTranscription, transcriptionOperations } from './transcriptions.ts';
import { getFile } from './files.ts';
import { imageEditOperations } from './image-edits.ts';
import { imageOperations } from './images.ts';
import { listLedger } from './ledger.ts';
import { messagesOperations } from './messages.ts';
import { healthOperation, modelOperations } from './models.ts';
import { createModeration } from './moderations.ts';
import { callHook } from './provider-hooks.ts';
import { openAiVideoOperations } from './openai-videos.ts';
import { createFile, openAiFileOperations } from './openai-files.ts';
import { createQuote } from './quotes.ts';
import { requestOperations } from './requests.ts';
import { createRanking } from './rerank.ts';
import { responseOperations } from './responses.ts';
import { serviceOperations } from './service.ts';
import { getStatus } from './status.ts';
import { listTasksOperation } from './tasks.ts';
import { listUsageRows } from './usage.ts';
import { videoOperations } from './videos.ts';
import { getWebhookSecret, rotateSecret } from './webhook-secret.ts';

export const operations: AllOperations = {
  ofRoots: [
    createChatCompletion,
    ...responseOperations,
    ...messagesOperations,
    createCompletion,
    embeddingsOperation,
    createModeration,
    createRanking,
    speechOperation,
    ...transcriptionOperations,
    ...modelOperations,
    ...imageOperations,
    ...imageEditOperations,
    ...videoOperations,
    ...openAiVideoOperations,
    ...avatarTalkOperations,
    ...openAiFileOperations,
    ...batchOperations,
    listTasksOperation,
    createQuote,
    getAccount,
    changeAccountSettings,
    listLedger,
    listUsageRows,
    ...requestOperations,
    getWebhookSecret,
    rotateSecret,
    ...keyOperations,
  ],
  health: healthOperation,
  ofHost: [...serviceOperations(() => operations), getStatus, getFile, callHook],
};

/** Those that the console offers for a session instead of a key, for its playground and its batches; none administers anything. */
export const playgroundOperations = [
  createChatCompletion,
  speechOperation,
  createTranscription,
  ...responseOperations,
  ...imageOperations,
  ...imageEditOperations,
  ...videoOperations,
  ...openAiVideoOperations,
  ...avatarTalkOperations,
  createFile,
  createBatchOperation,
  createQuote,
  listLedger,
];

/** What a console session may call in place of a key. */

/** By their names without a root; a test holds the list against the playground's. */
export const sessionOperations: ReadonlySet<string> = new Set([
  ...['createChatCompletion', 'createSpeech', 'createTranscription'],
  ...['createResponse', 'getResponse', 'deleteResponse', 'cancelResponse', 'listInputItems'],
  ...['countInputTokens', 'compactResponse'],
  ...['createImage', 'getImage', 'cancelImage', 'createImageEdit', 'createImageVariation'],
  ...['createVideo', 'getVideo', 'cancelVideo'],
  ...['createOpenAiVideo', 'listOpenAiVideos', 'getOpenAiVideo', 'deleteOpenAiVideo', 'getOpenAiVideoContent'],
  ...['createAvatarTalk', 'getAvatarTalk', 'cancelAvatarTalk'],
  ...['createFile', 'createBatch', 'createQuote', 'listLedger'],
]);

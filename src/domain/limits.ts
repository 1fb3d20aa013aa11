/** The bounds of what a request may ask for, each with its unit last. Where a number comes from is said beside it. */

/** What an image may have; `docs/api-guide.md` has it for callers. */
export const imageAreaPixelsMin = 1024 * 1024;
export const imageAreaPixelsMax = 4096 * 4096;
/** Width to height is at most 3, and height to width too. */
export const imageSideRatioMax = 3;
export const referenceImagesMax = 14;

/** Of an image edit, as with the OpenAI images API. */
export const editImagesMax = 16;

/** What one image request may ask for, as with the OpenAI images API. */
export const imagesMax = 10;

/** Of an upload whose caller names its time; of output files, too. As with the OpenAI files API. */
export const fileSecondsMin = 3_600;
export const fileSecondsMax = 30 * 86_400;
export const fileNameCharactersMax = 255;
/** Our own bounds on what an account may keep: a list of so many is one answer, and a disk holds some such accounts. */
export const accountFilesMax = 10_000;
export const accountFileBytesMax = 100 * 1024 ** 3;

/** How long the result of an avatar-talk task can be fetched: ten minutes. */
export const fetchWindowMs = 600_000;

/** How long one download may claim such a result: one that began in time may go on for so long after the window. */
export const fetchClaimMsMax = 3_600_000;

/** After it a job is lost that its provider says it doesn't know: longer than a deployment, or a fault of its balancer, takes. */
export const lostAfterMs = 180_000;

/** Of a model without `prompt_characters` of its own; what the OpenAI images API documents. */
export const promptCharactersMax = 32_000;

/** Our own bound: room for a signed link, and small enough to keep with a task. */
export const addressCharactersMax = 2048;

/** Our own bound: the 14 references that an image may have, with room for texts and audio. */
export const contentItemsMax = 20;

/** The lengths that a video may have where its model has no list of its own. The first is the default. */
export const videoDurationsSeconds: readonly number[] = [5, 8, 10, 11];

/** Longer than any video model makes in one piece. */
export const videoSecondsMax = 600;

/** The ratios of videos, likewise. */
export const videoRatios: readonly string[] = ['16:9', '9:16', '1:1'];

/** The pixels of videos that can be asked for, likewise: the ratios above at 720 lines. There is no default. */
export const videoSizes: readonly string[] = ['1280x720', '720x1280', '720x720'];

export const templateNameCharactersMax = 200;

/** Longer than any model id in use; keeps the answer that repeats an unknown id short. */
export const modelIdCharactersMax = 256;

/** As of the OpenAI chat API. */
export const stopSequencesMax = 4;
export const temperatureMax = 2;
export const penaltyMax = 2;

/** The OpenAI API's own. */
export const choicesMax = 128;
export const topLogprobsMax = 20;

/** The OpenAI API's own, of one embeddings call. */
export const embeddingItemsMax = 2048;
export const embeddingTokensMax = 300_000;
/** Our own: such calls hold their output at once. */
export const completionPromptsMax = 128;
/** Our own, far above what providers take. */
export const moderationItemsMax = 2048;
export const rerankDocumentsMax = 10_000;

/** The OpenAI API's own, of one speech call. */
export const speechCharactersMax = 4096;

/** Every address passes to the upstream as it came, so it is only kept from being absurd. */
export const chatAddressCharactersMax = 8192;

/** Our own bounds of an API key. The counts fit the columns that hold them, and names fit a line. */
export const keyNameCharactersMax = 200;
export const keyModelsMax = 1000;
export const keyAddressesMax = 50;
export const keyCallsMax = 1_000_000_000;
export const keyTasksMax = 1_000_000_000;

/** A batch may take a week. */
export const batchHoursMax = 168;

/** The OpenAI API's own, of a batch. */
export const metadataPairsMax = 16;
export const metadataNameCharactersMax = 64;
export const metadataValueCharactersMax = 512;

/** The OpenAI API's own, of all lines of a batch of embeddings together. */
export const batchInputsMax = 50_000;

/** Our own: what finds a line again is short. */
export const customIdCharactersMax = 512;

/** So many mistakes in the lines of a batch are reported. */
export const batchMistakesMax = 100;

/** Tasks of a key that wait for its running ones: an hour of one key's work on a large gateway, and cheap to count. */
export const queuedTasksMax = 10_000;

/** How long a task may wait for its key's running ones, with its price held: seven days, as long as the longest batch. */
export const queuedMsMax = 7 * 86_400_000;

/** The ids that the document's examples have. */
import { taskIdPrefixes } from '../../domain/ids.ts';

const number = '0190a5e2c7d34b6f8a1e5d9c3b7f2046';

export const exampleIds = {
  account: `acc_${number}`,
  key: `key_${number}`,
  image: taskIdPrefixes.image + number,
  video: taskIdPrefixes.video + number,
  avatar_talk: taskIdPrefixes.avatar_talk + number,
  file: `file-${number}`,
  batch: `batch_${number}`,
  response: `resp_${number}`,
  request: `req_${number}`,
  entry: '0190a5e2-c7d3-4b6f-8a1e-5d9c3b7f2046.capture',
} as const;

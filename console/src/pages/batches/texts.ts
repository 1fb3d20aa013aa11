/** The texts of the page. */
import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts('batches', {
  en: {
    title: 'Batches',
    description: 'Many requests in one file, run as capacity allows. Updated live.',
    newBatch: 'New batch',
    none: 'No batches yet. Upload a .jsonl file with one request per line, here or through the API, and it appears here automatically.',
    noneOfStatus: 'No batches with this status.',
  },
  zh: {
    title: '批处理',
    description: '一个文件包含多个请求，模型有空闲时逐行运行，进展实时更新。',
    newBatch: '新建批处理',
    none: '还没有批处理。在此处或通过 API 上传每行一个请求的 .jsonl 文件，批处理会自动出现在这里。',
    noneOfStatus: '没有处于此状态的批处理。',
  },
});

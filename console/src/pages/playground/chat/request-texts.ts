/** The texts of a request that is opened from the list of requests. */
import { defineTexts } from '../../../texts/define-texts.ts';

export const requestTexts = defineTexts('playground-request', {
  en: {
    opened: 'Opened from request {{id}}. Nothing is sent until you choose Run.',
    request: 'Request {{id}}',
    notOpened: 'Not all of this request was recorded, or it is no chat request, so it can’t be opened here.',
    redacted: 'Some fields were redacted when the request was recorded, and are sent as “[redacted]”.',
    mediaCut: 'Images and files were shortened when the request was recorded. Attach them again before you run it.',
    oneAnswer: 'The request asked for several answers (n); here it asks for one.',
    nowStreamed: 'The request wasn’t streamed; here its answer is.',
    modelGone: 'Its model {{model}} isn’t available here, so another is chosen.',
  },
  zh: {
    opened: '已打开请求 {{id}}。点击“运行”之前不会发送任何内容。',
    request: '请求 {{id}}',
    notOpened: '此请求没有完整记录，或不是对话请求，无法在此打开。',
    redacted: '部分字段在记录时已隐去，会以“[redacted]”发送。',
    mediaCut: '图片和文件在记录时已缩短。运行前请重新添加。',
    oneAnswer: '原请求要求多个回答（n），这里只要求一个。',
    nowStreamed: '原请求不是流式的，这里以流式返回。',
    modelGone: '原请求的模型 {{model}} 在此不可用，已选择其他模型。',
  },
});

/** The texts of the page. */
import { defineTexts } from '../../../texts/define-texts.ts';

export const texts = defineTexts('playground-speech', {
  en: {
    title: 'Speech',
    description: 'Turn text into speech.',
    input: 'Text',
    inputHint: '{{count}} of {{most}} characters.',
    inputPlaceholder: 'The gate is open.',
    voice: 'Voice',
    voiceHint: 'A voice of the model, such as alloy.',
    format: 'Format',
    speed: 'Speed',
    speedHint: '0.25 to 4. Leave empty for the model default.',
    audio: 'Generated speech',
  },
  zh: {
    title: '语音合成',
    description: '将文字转换为语音。',
    input: '文字',
    inputHint: '{{count}} / {{most}} 个字符。',
    inputPlaceholder: '道闸已打开。',
    voice: '音色',
    voiceHint: '模型支持的音色名称，例如 alloy。',
    format: '格式',
    speed: '语速',
    speedHint: '0.25 到 4；留空则使用模型默认值。',
    audio: '合成的语音',
  },
});

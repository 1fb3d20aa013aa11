/** The texts of the page. */
import { defineTexts } from '../../../texts/define-texts.ts';

export const texts = defineTexts('playground-speech', {
  en: {
    title: 'Speech',
    description: 'Have a text spoken.',
    input: 'Text',
    inputHint: '{{count}} of {{most}} characters.',
    inputPlaceholder: 'The gate is open.',
    voice: 'Voice',
    voiceHint: 'A name that the model knows, such as alloy.',
    format: 'Format',
    speed: 'Speed',
    speedHint: 'From 0.25 to 4. Empty: the model’s own.',
    audio: 'What was spoken',
  },
  zh: {
    title: '语音合成',
    description: '把文字读出来。',
    input: '文字',
    inputHint: '{{count}} / {{most}} 字符。',
    inputPlaceholder: '道闸已打开。',
    voice: '音色',
    voiceHint: '模型所认识的名称，例如 alloy。',
    format: '格式',
    speed: '语速',
    speedHint: '0.25 到 4。留空则用模型默认。',
    audio: '合成的语音',
  },
});
